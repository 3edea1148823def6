import { ActionIcon, Button, TextInput, VisuallyHidden } from '@mantine/core'
import { Camera, Volume2, VolumeX } from 'lucide-react'
import { memo, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { Link, useLocation, useNavigate } from 'react-router'
import type { NamedLoan } from '../../api/types'
import { nameOf, sumsOf } from '../../counter/acts'
import type { Desk, EntryActions, Open } from '../../counter/queue'
import type { LogEntry, Mode } from '../../counter/tasks'
import { sound } from '../../counter/sounds'
import { messagesOf } from '../../counter/words'
import { useDesk } from '../../counter/useDesk'
import { useWedge } from '../../counter/useWedge'
import { showsKeys, useAltKey } from '../../lib/altKey'
import { Chunk, lazyChunk } from '../../lib/lazyChunk'
import { t } from '../../lib/messages'
import type { Entry } from '../../lib/outbox'
import { paths } from '../../screens'
import { DeclareLost } from '../money'
import { StatusLine, UnknownTasks } from '../../ui/OutboxState'
import { PageHeader } from '../../ui/PageHeader'
import { AnswerCard } from './AnswerCard'
import classes from './Desk.module.css'
import { DropBanner, DropButton } from './Drop'
import { Earlier } from './Earlier'
import { SumOfFines } from './Fine'
import { HeldScans } from './HeldScans'
import { PersonStrip } from './PersonStrip'
import { Phones } from './Phones'
import { Printing } from './Printing'
import { ReaderLoans } from './ReaderLoans'
import { Typed } from './Typed'

const CodeCamera = lazyChunk('scanner', async () => ({ default: (await import('../scanner')).CodeCamera }))

/** Returns the reader whose card an entry opened. */
const readerOpenedBy = ({ outcome }: LogEntry): number | null =>
  outcome.kind === 'answered' && outcome.answer.outcome === 'person' ? (outcome.answer.person?.uid ?? null) : null

/** Names a task, a scan with the reader for whom it was sent. */
function wordsOfTask({ label, sent }: Entry<unknown>, log: readonly LogEntry[], open: Open | null): string {
  const uid = typeof sent === 'object' && sent !== null && 'person' in sent ? sent.person : undefined
  if (typeof uid !== 'number') return label
  const name = open?.uid === uid ? open.name : nameOf(uid, log)
  return name === null ? label : t('desk.screen.forReader', { label, name })
}

/** Returns the code of a card, passed by another screen. */
function cardIn(state: unknown): string | undefined {
  const card = typeof state === 'object' && state !== null && 'card' in state ? state.card : undefined
  return typeof card === 'string' ? card : undefined
}

/** The counter: one box that always has the focus; each scan gets one answer (R-DESK-1). */
export default function DeskScreen() {
  const { desk, open, log, waiting, unknown, line, newer, mode, acts, held, bounced, ofOthers } = useDesk()
  const newest = log[0]?.isRestored ? undefined : log[0]
  const loans = open?.reader?.loans ?? []
  const sums = sumsOf(log, acts)
  const isInStrip = newest !== undefined && readerOpenedBy(newest) === open?.uid
  const [filming, setFilming] = useState(false)
  const [lost, setLost] = useState<NamedLoan | null>(null)
  const { box, focusBox, takeText, leavesForm } = useWedge(desk)
  useEffect(() => desk.enter(), [desk])
  const answer = useRef<HTMLDivElement>(null)
  const earlier = useMemo(() => log.filter((one) => one !== newest), [log, newest])

  // On a phone the answer may be below the visible area: scrolls to its beginning, with the box above.
  const shown = newest?.id
  useEffect(() => {
    // On a wide screen the answer is always in view, beside the list of earlier entries.
    if (shown === undefined || matchMedia('(min-width: 75em)').matches) return
    answer.current?.parentElement?.scrollIntoView({ block: 'nearest' })
    answer.current?.querySelector('h2')?.scrollIntoView({ block: 'nearest' })
  }, [shown])

  // A card passed by a person's page is handled like a scan.
  const card = cardIn(useLocation().state)
  const navigate = useNavigate()
  useEffect(() => {
    if (card === undefined) return
    desk.scan(card)
    void navigate(paths.desk(), { replace: true })
  }, [card, desk, navigate])

  function take() {
    const scanned = takeText()
    if (scanned !== '') desk.scan(scanned)
  }

  const actions = useMemo<EntryActions>(
    () => ({
      act: (label, task) => (desk.act(label, task), focusBox()),
      again: (one) => (desk.again(one), focusBox()),
      setAside: (one) => (desk.setAside(one), focusBox()),
      show: (one) => (desk.show(one), focusBox()),
    }),
    [desk, focusBox],
  )
  const refresh = useCallback(() => (desk.refresh(), focusBox()), [desk, focusBox])
  const close = useCallback(() => (desk.close(), focusBox()), [desk, focusBox])
  const switchCamera = useCallback(() => {
    setFilming((was) => !was)
    focusBox()
  }, [focusBox])

  function choose(typed: string, choice: string) {
    takeText()
    desk.choose(typed, choice)
    focusBox()
  }

  function escape() {
    if (takeText() !== '') return
    if (mode) desk.setMode(null)
    else desk.close()
  }

  return (
    // Keys that work anywhere on this screen.
    <div
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.defaultPrevented) return
        // In a form, Escape only leaves the form; the reader stays open.
        if (!leavesForm(event.target)) escape()
        focusBox()
      }}
      role="presentation"
      className={classes.desk}
    >
      <PageHeader
        title={t('desk.screen.title')}
        actions={
          <Switches
            desk={desk}
            mode={mode}
            filming={filming}
            onCamera={switchCamera}
            onSwitched={focusBox}
            keyed={loans.length === 0}
          />
        }
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
          <div className={classes.typing}>
            <Typed box={box} onChoose={choose} />
          </div>
          <StatusLine waiting={waiting} line={line} held={held} bounced={bounced} />
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
          {line === 'offline' && (
            <p className={classes.cut} role="alert">
              {t('desk.screen.cut')}
            </p>
          )}
          {line === 'signed-out' && (
            <p className={classes.cut} role="alert">
              {t('desk.screen.signedOut')}
            </p>
          )}
          {ofOthers > 0 && (
            <p className={classes.waiting} role="status">
              {t('desk.screen.waitingForOther', { count: ofOthers })}
            </p>
          )}
          {newer > 0 && (
            <p className={classes.waiting} role="status">
              {t('outbox.newer', { count: newer })}
            </p>
          )}
          <UnknownTasks
            entries={unknown}
            wordsOf={(entry) => wordsOfTask(entry, log, open)}
            onTryAgain={(key) => (desk.tryAgain(key), focusBox())}
            onSetAside={(key) => (desk.giveUp(key), focusBox())}
          />
          <PersonStrip open={open} mode={mode} onSettled={refresh} onClose={close} />
          {sums.map(({ uid, name, fines }, index) => (
            <SumOfFines key={uid} name={name} fines={fines} actions={actions} keyed={index === 0} />
          ))}
          <div
            ref={answer}
            role="status"
            aria-live="assertive"
            aria-atomic="true"
            className={classes.newest}
            data-in-strip={isInStrip || undefined}
          >
            {newest && isInStrip ? (
              <VisuallyHidden>{messagesOf(newest).join(' ')}</VisuallyHidden>
            ) : newest ? (
              <AnswerCard
                key={newest.id}
                entry={newest}
                acts={acts}
                actions={actions}
                isBehind={line !== 'clear' && waiting.length > 0}
                takesByKey={sums.length === 0}
              />
            ) : (
              <p className={classes.empty}>{t('desk.screen.empty')}</p>
            )}
          </div>
          {open?.reader && loans.length > 0 && (
            <ReaderLoans
              key={open.uid}
              reader={open.reader}
              desk={desk}
              onPressed={focusBox}
              onChanged={refresh}
              onLost={setLost}
            />
          )}
        </div>
        <Earlier log={earlier} acts={acts} actions={actions} />
      </div>
      {lost && (
        <DeclareLost
          loan={lost}
          onClose={() => {
            setLost(null)
            refresh()
          }}
        />
      )}
      <HeldScans codes={held} />
    </div>
  )
}

type SwitchesProps = {
  desk: Desk
  mode: Mode | null
  filming: boolean
  onCamera: () => void
  onSwitched: () => void
  /** True if Alt+E switches the mode; otherwise it picks one of the reader's loans. */
  keyed: boolean
}

/** Buttons for modes and other scanners. Memoised, so that a scan does not render them. */
const Switches = memo(function Switches({ desk, mode, filming, onCamera, onSwitched, keyed }: SwitchesProps) {
  const [soundIsOn, setSound] = useState(sound.isOn)
  const extend = useRef<HTMLButtonElement>(null)
  useAltKey('KeyE', extend, keyed)
  return (
    <div className={classes.switches}>
      <Button
        ref={extend}
        aria-keyshortcuts={keyed ? 'Alt+E' : undefined}
        variant={mode?.kind === 'renew' ? 'filled' : 'default'}
        aria-pressed={mode?.kind === 'renew'}
        onClick={() => {
          desk.setMode(mode?.kind === 'renew' ? null : { kind: 'renew' })
          onSwitched()
        }}
      >
        {t(keyed && showsKeys() ? 'desk.screen.renewModeKey' : 'desk.screen.renewMode')}
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
      <Printing onClosed={onSwitched} />
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
