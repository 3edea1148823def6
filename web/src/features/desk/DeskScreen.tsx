import { ActionIcon, Button, TextInput } from '@mantine/core'
import { Camera, Volume2, VolumeX } from 'lucide-react'
import { memo, useCallback, useEffect, useRef, useState } from 'react'
import { Link } from 'react-router'
import type { Desk, Mode, OnSettle } from '../../counter/queue'
import { sound } from '../../counter/sounds'
import { useDesk } from '../../counter/useDesk'
import { useWedge } from '../../counter/wedge'
import { Chunk, lazyChunk } from '../../lib/lazyChunk'
import { t } from '../../lib/messages'
import { paths } from '../../screens'
import { PageHeader } from '../../ui/PageHeader'
import { AnswerCard } from './AnswerCard'
import classes from './Desk.module.css'
import { DropBanner, DropButton } from './Drop'
import { Earlier } from './Earlier'
import { PersonStrip } from './PersonStrip'
import { Phones } from './Phones'

const CodeCamera = lazyChunk('scanner', async () => ({ default: (await import('../scanner')).CodeCamera }))

/** The counter: one box that always has the focus, one scan, one answer (R-DESK-1). */
export default function DeskScreen() {
  const { desk, open, told, waiting, cut, signedOut, mode, undone, ofOthers } = useDesk()
  const [newest] = told
  const scans = waiting.filter(({ task }) => task.kind === 'scan' || task.kind === 'other')
  const [filming, setFilming] = useState(false)
  const { box, focusBox, takeText } = useWedge()
  const answer = useRef<HTMLDivElement>(null)

  // On a phone the answer may be below the screen's edge. Of a long one its beginning is shown, with the box above it.
  useEffect(() => {
    if (!newest) return
    answer.current?.parentElement?.scrollIntoView({ block: 'nearest' })
    answer.current?.querySelector('h2')?.scrollIntoView({ block: 'nearest' })
  }, [newest])

  function take() {
    const scanned = takeText()
    if (scanned !== '') desk.scan(scanned)
  }

  const settle = useCallback<OnSettle>(
    (label, send) => {
      desk.settle(label, send)
      focusBox()
    },
    [desk, focusBox],
  )
  const switchCamera = useCallback(() => {
    setFilming((was) => !was)
    focusBox()
  }, [focusBox])

  function escape() {
    if (takeText() !== '') return
    if (mode) desk.setMode(null)
    else desk.close()
  }

  return (
    // Keys that act wherever the focus is on this screen.
    <div
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.defaultPrevented) return
        escape()
        focusBox()
      }}
      role="presentation"
    >
      <PageHeader
        title={t('desk.screen.title')}
        actions={<Switches desk={desk} mode={mode} filming={filming} onCamera={switchCamera} onSwitched={focusBox} />}
      />
      <div className={classes.columns}>
        <div>
          {mode?.kind === 'renew' && (
            <p className={classes.mode} role="status">
              {t('desk.screen.renewBanner')}
            </p>
          )}
          {mode?.kind === 'drop' && <DropBanner desk={desk} day={mode.day} />}
          <form
            onSubmit={(event) => {
              event.preventDefault()
              take()
            }}
          >
            <TextInput
              ref={box}
              label={t('desk.screen.box')}
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              inputMode="search"
              enterKeyHint="go"
              className={classes.box}
              onKeyDown={(event) => {
                // Some scanners end with Tab.
                if (event.key !== 'Tab' || event.shiftKey || event.currentTarget.value.trim() === '') return
                event.preventDefault()
                take()
              }}
            />
          </form>
          {filming && (
            <div className={classes.camera}>
              <Chunk
                part={CodeCamera}
                waiting={<p role="status">{t('scanner.starting')}</p>}
                failed={<p role="alert">{t('scanner.problem.decoder')}</p>}
              >
                <CodeCamera onCode={desk.scan} />
              </Chunk>
            </div>
          )}
          {cut && (
            <p className={classes.cut} role="alert">
              {t('desk.screen.cut')}
            </p>
          )}
          {ofOthers > 0 && (
            <p className={classes.waiting} role="status">
              {t('desk.screen.waitingForOther', { count: ofOthers })}
            </p>
          )}
          {scans.length > (cut || signedOut ? 0 : 1) && (
            <p className={classes.waiting} role="status">
              {t('desk.screen.waiting', { count: scans.length })}{' '}
              <span className="tabular" dir="auto">
                {scans.map(({ label }) => label).join(', ')}
              </span>
            </p>
          )}
          <PersonStrip
            reader={open?.reader ?? null}
            onSettled={() => (desk.refresh(), focusBox())}
            onClose={() => (desk.close(), focusBox())}
          />
          <div ref={answer} role="status" aria-live="assertive" aria-atomic="true" className={classes.newest}>
            {signedOut ? (
              <p className={classes.cut}>{t('desk.screen.signedOut')}</p>
            ) : newest ? (
              <AnswerCard
                key={newest.id}
                told={newest}
                undone={undone}
                onChoose={(choice) => {
                  desk.send(choice)
                  focusBox()
                }}
                onSettle={settle}
              />
            ) : (
              <p className={classes.empty}>{t('desk.screen.empty')}</p>
            )}
          </div>
        </div>
        <Earlier told={told} undone={undone} onSettle={settle} />
      </div>
    </div>
  )
}

type SwitchesProps = {
  desk: Desk
  mode: Mode | null
  filming: boolean
  onCamera: () => void
  onSwitched: () => void
}

/** What a scan means, and what else scans. No scan draws it anew. */
const Switches = memo(function Switches({ desk, mode, filming, onCamera, onSwitched }: SwitchesProps) {
  const [soundIsOn, setSound] = useState(sound.isOn)
  return (
    <div className={classes.switches}>
      <Button
        variant={mode?.kind === 'renew' ? 'filled' : 'default'}
        aria-pressed={mode?.kind === 'renew'}
        onClick={() => {
          desk.setMode(mode?.kind === 'renew' ? null : { kind: 'renew' })
          onSwitched()
        }}
      >
        {t('desk.screen.renewMode')}
      </Button>
      <DropButton desk={desk} mode={mode} onSwitched={onSwitched} />
      <Button
        variant={filming ? 'filled' : 'default'}
        leftSection={<Camera aria-hidden />}
        aria-pressed={filming}
        onClick={onCamera}
      >
        {t('desk.screen.camera')}
      </Button>
      <Phones desk={desk} onClosed={onSwitched} />
      <Button component={Link} to={paths.deskToday()} variant="default">
        {t('desk.screen.today')}
      </Button>
      <ActionIcon
        variant="subtle"
        color="gray"
        size={36}
        aria-label={t('desk.screen.sound')}
        aria-pressed={soundIsOn}
        onClick={() => {
          sound.switch(!soundIsOn)
          setSound(!soundIsOn)
          onSwitched()
        }}
      >
        {soundIsOn ? <Volume2 /> : <VolumeX />}
      </ActionIcon>
    </div>
  )
})
