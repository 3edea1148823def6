import { Button, FileButton, NativeSelect, Text, TextInput } from '@mantine/core'
import { useCallback, useEffect, useRef, useState, type DragEvent, type SyntheticEvent } from 'react'
import { PauseIcon, PlayIcon } from '../../ui/icons'
import type { Read } from './acceptance'
import { ZOOM } from './camera'
import { headline } from './messages'
import { refusal } from './picture'
import { rollNumberOf } from './rollNumber'
import type { Scanner, ScanView } from './scanner'
import classes from './ScannerPanel.module.css'
import { useScanner } from './useScanner'

const PICTURES = 'image/jpeg,image/png,image/webp'

type ScannerPanelProps = {
  /** A code was read by the camera, out of a picture, or typed. */
  onCode: (rollNumber: string) => void
  /** A code is being looked up. */
  looking: boolean
}

/** Reads the code of an ID card: by camera, from a picture, or typed by hand. */
export function ScannerPanel({ onCode, looking }: ScannerPanelProps) {
  const [picture, setPicture] = useState('')
  const forgetFile = useRef<() => void>(null)
  const tell = useRef(onCode)
  useEffect(() => {
    tell.current = onCode
  })
  const onRead = useCallback((read: Read) => {
    setPicture('')
    tell.current(rollNumberOf(read))
  }, [])
  const { attach, scanner, decoder, view } = useScanner(onRead)

  async function readPicture(file: File | null | undefined) {
    if (!file || !decoder) return
    // The same file may be chosen again.
    forgetFile.current?.()
    setPicture('Reading the picture…')
    try {
      const refused = await refusal(file)
      if (refused !== null) return setPicture(refused)
      const read = await decoder.readPicture(file)
      if (read) return onRead(read)
      setPicture('No code was found in this picture. Try one that is closer, sharper and straight.')
    } catch (error) {
      console.error('The picture could not be read', error)
      setPicture('This picture could not be read. Please choose another one.')
    }
  }

  const words = looking ? 'Looking the card up…' : picture || (view ? headline(view) : 'Starting the camera…')
  const shows = view !== null && view.problem === null && (view.opening || view.state !== 'notStarted')

  return (
    <section className={classes.panel} aria-label="ID card scanner" {...dropTarget((file) => void readPicture(file))}>
      <Text size="sm" role="status" className={classes.header}>
        {words}
      </Text>
      <div className={classes.stage} data-off={!shows || undefined}>
        {/* A camera's picture has no sound that could be written down. */}
        {/* oxlint-disable-next-line jsx-a11y/media-has-caption */}
        <video
          ref={attach}
          className={classes.video}
          style={{ transform: `scale(${view?.enlarged ?? 1})` }}
          muted
          playsInline
          aria-label="Picture of the camera"
        />
        {shows && view.box !== null && (
          <div
            className={classes.box}
            style={{ width: view.box, height: view.box }}
            data-paused={view.state === 'paused' || undefined}
          />
        )}
      </div>
      {scanner && view && view.state !== 'notStarted' && <Controls scanner={scanner} view={view} />}
      <div className={classes.row}>
        {scanner && view?.state === 'notStarted' && !view.opening && (
          <Button variant="default" size="sm" onClick={() => void scanner.start()}>
            Try again
          </Button>
        )}
        <FileButton accept={PICTURES} resetRef={forgetFile} onChange={(file) => void readPicture(file)}>
          {(props) => (
            <Button variant="default" size="sm" {...props}>
              Choose a picture
            </Button>
          )}
        </FileButton>
        <Text size="sm" c="dimmed" className={classes.drop}>
          or drop one here
        </Text>
      </div>
      <TypedCode onCode={onCode} looking={looking} />
    </section>
  )
}

function dropTarget(onFile: (file: File | undefined) => void) {
  return {
    onDragOver: (event: DragEvent) => event.preventDefault(),
    onDrop: (event: DragEvent) => {
      event.preventDefault()
      onFile(event.dataTransfer.files[0])
    },
  }
}

function Controls({ scanner, view }: { scanner: Scanner; view: ScanView }) {
  const { state, cameras, cameraId, torch, zoom } = view
  return (
    <>
      <div className={classes.row}>
        {state === 'scanning' ? (
          <Button variant="default" size="sm" leftSection={<PauseIcon />} onClick={() => scanner.pause()}>
            Pause
          </Button>
        ) : (
          <Button variant="default" size="sm" leftSection={<PlayIcon />} onClick={() => void scanner.resume()}>
            Resume
          </Button>
        )}
        {torch !== null && (
          <Button
            variant={torch ? 'light' : 'default'}
            size="sm"
            aria-pressed={torch}
            onClick={() => void scanner.setTorch(!torch)}
          >
            Torch
          </Button>
        )}
        <label className={classes.zoom}>
          <span>Zoom</span>
          <input
            type="range"
            min={ZOOM.min}
            max={ZOOM.max}
            step={ZOOM.step}
            value={zoom}
            aria-valuetext={`${zoom.toFixed(1)} times`}
            onChange={(event) => void scanner.setZoom(event.currentTarget.valueAsNumber)}
          />
          <span className={`tabular ${classes.factor}`} aria-hidden="true">
            {zoom.toFixed(1)}×
          </span>
        </label>
      </div>
      {cameras.length > 1 && (
        <NativeSelect
          label="Camera"
          size="sm"
          value={cameraId ?? ''}
          data={cameras.map(({ id, label }) => ({ value: id, label }))}
          onChange={(event) => void scanner.choose(event.currentTarget.value)}
        />
      )}
    </>
  )
}

/** For a card that no camera reads. */
function TypedCode({ onCode, looking }: ScannerPanelProps) {
  const [code, setCode] = useState('')

  function find(event: SyntheticEvent) {
    // The panel sits inside the sign-in form: Enter must look the card up, not sign in.
    event.preventDefault()
    event.stopPropagation()
    if (code.trim() !== '' && !looking) onCode(code)
  }

  return (
    <div className={classes.line}>
      <TextInput
        aria-label="Roll number"
        placeholder="Or type the roll number"
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
      <Button variant="default" size="md" loading={looking} onClick={find}>
        Find
      </Button>
    </div>
  )
}
