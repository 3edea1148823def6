import { Button } from '@mantine/core'
import { Smartphone } from 'lucide-react'
import { useEffect, useState, useSyncExternalStore, type ReactNode } from 'react'
import { useLibraryName } from '../../api/config'
import { listenToAnswers, sendScan } from '../../api/phones'
import type { PhoneAnswer } from '../../api/types'
import { Chunk, lazyChunk } from '../../lib/lazyChunk'
import { t, translateMessage } from '../../lib/messages'
import { sharedStore } from '../../lib/outboxStore'
import { useTitle } from '../../lib/title'
import { answerIcons } from '../../ui/answerIcons'
import { UnknownTasks } from '../../ui/OutboxState'
import { useOpening } from './opening'
import { Phone, type PhoneState } from './phone'
import classes from './PhoneScreen.module.css'
import { useWakeLock } from './wakeLock'

const CodeCamera = lazyChunk('scanner', async () => ({ default: (await import('../scanner')).CodeCamera }))

/** Vibration patterns, milliseconds on and off. iPhones do not vibrate; other browsers do so only after a touch. */
const SHAKES: Readonly<Record<PhoneAnswer['answer']['class'], number[]>> = {
  ok: [60],
  attention: [60, 80, 60],
  ask: [60, 80, 60],
  stop: [300],
  neutral: [30],
}

const shake = (what: PhoneAnswer['answer']['class']): void => {
  if (typeof navigator.vibrate === 'function' && navigator.userActivation.hasBeenActive) navigator.vibrate(SHAKES[what])
}

/** Screen of a phone that scans for a desk (R-DESK-9): sends codes to the desk and shows its answers. */
export default function PhoneScreen() {
  useTitle(t('phone.title'))
  const opening = useOpening()
  if (opening.state === 'none') return <Page words={t('phone.noCode')} />
  if (opening.state === 'refused') return <Page words={opening.reason} />
  if (opening.state === 'opening') return <Page words={t(opening.isCut ? 'phone.notConnected' : 'phone.opening')} />
  return <Scanning token={opening.token} pairing={opening.pairing} />
}

function Scanning({ token, pairing }: { token: string; pairing: string }) {
  const [phone] = useState(
    () =>
      new Phone({
        owner: pairing,
        store: sharedStore(),
        send: (scan, signal) => sendScan(token, scan, signal),
        onAnswer: shake,
      }),
  )
  const state = useSyncExternalStore(phone.subscribe, phone.snapshot)
  const { over } = state
  const [stands, setStands] = useState(true)
  // Set by a button: vibration needs a touch first, and the camera starts only on request.
  const [started, setStarted] = useState(false)
  // Loads the library's currency, which answers use.
  const library = useLibraryName()
  useWakeLock(started && over === null)

  useEffect(() => void phone.resume(), [phone])

  useEffect(() => {
    if (over !== null) return undefined
    return listenToAnswers(token, { onNews: phone.hear, onConnected: setStands, onClosed: phone.end })
  }, [over, token, phone])

  const codes = state.waiting.map(({ code }) => code)
  if (over === 'ended') {
    return <Page words={t('phone.ended')}>{codes.length > 0 && <Codes words="phone.notTaken" codes={codes} />}</Page>
  }
  if (over === 'elsewhere') {
    return (
      <Page words={t('phone.elsewhere')}>
        {codes.length > 0 && <Codes words="phone.waiting" codes={codes} />}
        <Button onClick={() => phone.end(null)}>{t('phone.here')}</Button>
      </Page>
    )
  }
  if (!started) {
    return (
      <Page words={t('phone.paired')}>
        <Button size="lg" onClick={() => setStarted(true)}>
          {t('phone.start')}
        </Button>
        {state.lastAnswer && <Answer state={state} />}
      </Page>
    )
  }
  return (
    <main id="main" tabIndex={-1} className={classes.page} data-class={classOf(state)}>
      <h1 className={classes.title} dir="auto">
        {[t('phone.title'), library].filter(Boolean).join(' · ')}
      </h1>
      <Chunk
        part={CodeCamera}
        waiting={<p role="status">{t('scanner.starting')}</p>}
        failed={<p role="alert">{t('scanner.problem.decoder')}</p>}
      >
        <CodeCamera onCode={phone.scan} insecure={t('phone.insecure')} />
      </Chunk>
      <div role="status" aria-live="assertive" aria-atomic="true" className={classes.answer}>
        <Answer state={state} />
      </div>
      {(state.isOffline || !stands) && (
        <p role="alert" className={classes.note}>
          {t('phone.cut')}
        </p>
      )}
      <UnknownTasks entries={state.unknown} onTryAgain={phone.tryAgain} onSetAside={phone.setAside} />
      <Waits codes={codes} />
    </main>
  )
}

function classOf({ lastAnswer, failed }: PhoneState): PhoneAnswer['answer']['class'] | undefined {
  return failed ? 'stop' : lastAnswer?.answer.class
}

function Answer({ state }: { state: PhoneState }) {
  const { lastAnswer, failed } = state
  const kind = classOf(state)
  if (!kind) return <p>{t('phone.ready')}</p>
  const Icon = answerIcons[kind]
  const [headline, ...rest] = failed ? [failed.reason] : (lastAnswer?.answer.messages ?? []).map(translateMessage)
  return (
    <>
      <Icon className={classes.sign} aria-hidden />
      <p className={classes.headline} dir="auto">
        {headline}
      </p>
      {rest.map((words) => (
        <p key={words} dir="auto">
          {words}
        </p>
      ))}
      {lastAnswer?.answer.class === 'ask' && !failed && <p>{t('phone.ask')}</p>}
      <p className="tabular" dir="auto">
        {failed?.code ?? lastAnswer?.code}
      </p>
    </>
  )
}

/** Time after which an unanswered scan is shown as waiting, milliseconds: the desk's page is probably closed. */
const LATE_MS = 4000

function Waits({ codes }: { codes: readonly string[] }) {
  const [first] = codes
  const [late, setLate] = useState<string | null>(null)
  useEffect(() => {
    if (first === undefined) return undefined
    const timer = setTimeout(() => setLate(first), LATE_MS)
    return () => clearTimeout(timer)
  }, [first])
  if (first === undefined || late !== first) return null
  return <Codes words="phone.waiting" codes={codes} />
}

function Codes({ words, codes }: { words: 'phone.waiting' | 'phone.notTaken'; codes: readonly string[] }) {
  return (
    <p role="status" className={classes.note}>
      {t(words, { count: codes.length })}{' '}
      <span className="tabular" dir="auto">
        {codes.join(', ')}
      </span>
    </p>
  )
}

/** Page with a text instead of the camera. */
function Page({ words, children }: { words: string; children?: ReactNode }) {
  return (
    <main id="main" tabIndex={-1} className={classes.page} data-bare>
      <Smartphone className={classes.sign} aria-hidden />
      <h1 tabIndex={-1} className={classes.title}>
        {t('phone.title')}
      </h1>
      <p role="status" className={classes.words}>
        {words}
      </p>
      {children}
    </main>
  )
}
