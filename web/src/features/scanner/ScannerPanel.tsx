import { Button, CloseButton, FileButton, Text, TextInput } from '@mantine/core'
import { useCallback, useEffect, useRef, useState, type SyntheticEvent } from 'react'
import { t } from '../../lib/messages'
import type { ScanResult } from './acceptance'
import { DecoderMissing } from './decoder'
import { headline } from './messages'
import { refusal } from './picture'
import { rollNumberOf } from './rollNumber'
import type { Scanner } from './scanner'
import classes from './ScannerPanel.module.css'
import { Controls, showsPicture, Stage } from './Stage'
import { useScanner } from './useScanner'

/** Delay before progress is shown, milliseconds. */
const SHOW_PROGRESS_AFTER_MS = 300

const PICTURES = 'image/jpeg,image/png,image/webp'

type ScannerPanelProps = {
  /** Called with a code from the camera, a picture, or typing; `again` is true if that code may be read again. */
  onCode: (rollNumber: string) => Promise<{ again: boolean }>
  /** Called when the user does something else, so that messages about the last code can be removed. */
  onOther: () => void
  onClose: () => void
  /** True while a code is being looked up. */
  looking: boolean
}

/** Message about a picture file; it is shown until the camera's message, `instead`, changes. */
type FileNotice = { words: string; instead: string }

/** Reads the code of an ID card: by camera, from a picture, or typed. */
export function ScannerPanel({ onCode, onOther, onClose, looking }: ScannerPanelProps) {
  const [fileNotice, setFileNotice] = useState<FileNotice | null>(null)
  const [dropping, setDropping] = useState(false)
  const [progress, setProgress] = useState<number | null>(null)
  const forgetFile = useRef<() => void>(null)
  const reading = useRef<AbortController>(null)
  const latestOnCode = useRef(onCode)
  useEffect(() => {
    latestOnCode.current = onCode
  })
  const onRead = useCallback((read: ScanResult, by?: Scanner) => {
    // A card held up to the camera cancels the reading of a picture.
    if (by) reading.current?.abort()
    setProgress(null)
    setFileNotice(null)
    void (async () => {
      const { again } = await latestOnCode.current(rollNumberOf(read))
      if (again) by?.again()
    })()
  }, [])
  const { attach, scanner, decoder, view } = useScanner(onRead)

  const camera = view ? headline(view, t('scanner.point')) : t('scanner.starting')
  const latest = useRef(camera)
  useEffect(() => {
    latest.current = camera
  })
  // A newer message of the camera replaces the one about the file.
  if (fileNotice && fileNotice.instead !== camera) setFileNotice(null)
  const say = (words: string) => setFileNotice({ words, instead: latest.current })

  async function readPicture(file: File) {
    if (!decoder) return
    // A new picture cancels the reading of the previous one.
    reading.current?.abort()
    const mine = new AbortController()
    reading.current = mine
    const begun = performance.now()
    const onProgress = (share: number) => {
      if (!mine.signal.aborted && performance.now() - begun > SHOW_PROGRESS_AFTER_MS) setProgress(share)
    }
    // Lets the user choose the same file again.
    forgetFile.current?.()
    onOther()
    say(t('scanner.picture.reading'))
    try {
      const refused = await refusal(file)
      if (refused !== null) return say(refused)
      const read = await decoder.readPicture(file, { signal: mine.signal, onProgress })
      if (mine.signal.aborted) return
      if (read) return onRead(read)
      say(t('scanner.picture.none'))
    } catch (error) {
      if (mine.signal.aborted) return
      console.error('The picture could not be read', error)
      say(error instanceof DecoderMissing ? t('scanner.problem.decoder') : t('scanner.picture.failed'))
    } finally {
      if (reading.current === mine) setProgress(null)
    }
  }

  const onDrop = useRef(readPicture)
  useEffect(() => {
    onDrop.current = readPicture
  })
  useEffect(() => watchDrops(setDropping, (file) => void onDrop.current(file)), [])

  const panel = useRef<HTMLElement>(null)
  // Announces the panel, and lets a keyboard go on inside.
  useEffect(() => panel.current?.focus({ preventScroll: true }), [])
  const isStageShown = showsPicture(view)
  // On a phone the panel opens below the visible part of the page, and the camera's picture makes it taller.
  useEffect(() => {
    // The picture may come while the panel still glides into view.
    const isSudden = isStageShown || matchMedia('(prefers-reduced-motion: reduce)').matches
    panel.current?.scrollIntoView({ block: 'nearest', behavior: isSudden ? 'instant' : 'smooth' })
  }, [isStageShown])

  const words = looking ? t('account.card.looking') : (fileNotice?.words ?? camera)

  return (
    <section
      ref={panel}
      tabIndex={-1}
      className={classes.panel}
      aria-label={t('scanner.label')}
      data-dropping={dropping || undefined}
    >
      <div className={classes.top}>
        <Text size="sm" role="status" className={classes.header}>
          {words}
        </Text>
        <CloseButton aria-label={t('scanner.close')} onClick={onClose} />
      </div>
      {progress !== null && (
        <progress className={classes.progress} value={progress} aria-label={t('scanner.picture.reading')} />
      )}
      <Stage attach={attach} view={view} />
      {scanner && view && <Controls scanner={scanner} view={view} />}
      <div className={classes.row}>
        <FileButton
          accept={PICTURES}
          resetRef={forgetFile}
          onChange={(file) => {
            if (file) void readPicture(file)
          }}
        >
          {(props) => (
            <Button variant="default" size="sm" {...props}>
              {t('scanner.picture.choose')}
            </Button>
          )}
        </FileButton>
        <Text size="sm" c="dimmed" className={classes.drop}>
          {t('scanner.picture.drop')}
        </Text>
      </div>
      <TypedCode onCode={(code) => void onCode(code)} />
    </section>
  )
}

/** Accepts files dropped anywhere on the page; otherwise the browser would open the file and leave the form. */
function watchDrops(onHover: (over: boolean) => void, onFile: (file: File) => void): () => void {
  const filesOf = (event: DragEvent) => (event.dataTransfer?.types.includes('Files') ? event.dataTransfer : null)
  const over = (event: DragEvent) => {
    if (!filesOf(event)) return
    event.preventDefault()
    onHover(true)
  }
  const leave = (event: DragEvent) => {
    if (event.relatedTarget === null) onHover(false)
  }
  const drop = (event: DragEvent) => {
    const dropped = filesOf(event)
    if (!dropped) return
    event.preventDefault()
    onHover(false)
    const files = Array.from(dropped.files)
    const file = files.find(({ type }) => type.startsWith('image/')) ?? files[0]
    if (file) onFile(file)
  }
  addEventListener('dragover', over)
  addEventListener('dragleave', leave)
  addEventListener('drop', drop)
  return () => {
    removeEventListener('dragover', over)
    removeEventListener('dragleave', leave)
    removeEventListener('drop', drop)
  }
}

/** Input for the code of a card that the camera cannot read. */
function TypedCode({ onCode }: { onCode: (code: string) => void }) {
  const [code, setCode] = useState('')

  function find(event: SyntheticEvent) {
    // The panel is inside the sign-in form: Enter must look the card up, not sign in.
    event.preventDefault()
    event.stopPropagation()
    if (code.trim() !== '') onCode(code)
  }

  return (
    <div className={classes.line}>
      <TextInput
        label={t('scanner.type')}
        size="sm"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        className={classes.field}
        value={code}
        onChange={(event) => setCode(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') find(event)
        }}
      />
      <Button variant="default" size="sm" onClick={find}>
        {t('scanner.find')}
      </Button>
    </div>
  )
}
