import type {
  Charge,
  ChargeForm,
  Closing,
  ClosingForm,
  DeskAnswer,
  DeskReader,
  LostLoan,
  Message,
  PaymentForm,
  PhoneScan,
  Receipt,
  RefundForm,
  Scan,
  WaiverForm,
} from '../api/types'
import { quoted } from '../lib/format'
import { t } from '../lib/messages'
import { newKey } from '../lib/newKey'
import { Outbox, type Ending, type Entry, type OutboxState } from '../lib/outbox'
import type { Lane, Store } from '../lib/outboxStore'
import { messageOf } from '../lib/problem'
import { actsOf, isUnsettled, offersChoices, type Acts } from './acts'
import {
  isLogEntry,
  isTask,
  type Fines,
  type LogEntry,
  type Mode,
  type Request,
  type Settled,
  type Task,
} from './tasks'
import { wordsOf } from './words'

/** Open reader and time of opening; the rest is reloaded after a page reload. */
export type Open = { uid: number; name: string; since: string; reader: DeskReader | null }

export type DeskState = Pick<OutboxState<Task>, 'waiting' | 'unknown' | 'line' | 'newer'> & {
  open: Open | null
  /** Newest first. */
  log: readonly LogEntry[]
  mode: Mode | null
  /** Buttons pressed: under way or done. */
  acts: Acts
  /** Codes scanned while a form was open; sent when the form is submitted or closed. */
  held: readonly string[]
  /** Code of the last scan, if it was a bounce of the scanner's trigger. */
  bounced: { code: string; at: number } | null
}

/** Time within which a repeated code counts as a bounce of the scanner's trigger (Law 7). */
const BOUNCE_MS = 3000
/** Idle time after which the reader closes, so that nothing is lent to a reader who has left (R-DESK-3). */
const SILENCE_MS = 60_000
const TRY_MS = 5000
/** Idle time after which a mode ends, so that no mode is left on until the next morning (R-DESK-11). */
const MODE_MS = 60 * 60_000
/** Time on the screen after which a result counts as seen, milliseconds: the page may be left in the moment of the answer. */
const SEEN_MS = 3000
/** Number of settled entries on the screen; the activity log has all. */
const KEPT = 50

type Calls = {
  scan: (scan: Scan, key: string, signal: AbortSignal) => Promise<DeskAnswer>
  pay: (
    uid: number,
    form: PaymentForm,
    key: string,
    signal: AbortSignal,
  ) => Promise<{ receipt: Receipt; change: number }>
  waive: (charge: number, form: WaiverForm, key: string, signal: AbortSignal) => Promise<{ change: number }>
  refund: (uid: number, form: RefundForm, key: string, signal: AbortSignal) => Promise<{ change: number }>
  charge: (uid: number, form: ChargeForm, key: string, signal: AbortSignal) => Promise<{ change: number }>
  reversePayment: (receipt: string, reason: string, key: string, signal: AbortSignal) => Promise<{ change: number }>
  reverseCharge: (charge: number, reason: string, key: string, signal: AbortSignal) => Promise<{ change: number }>
  closing: (form: ClosingForm, key: string, signal: AbortSignal) => Promise<Closing>
  lost: (loan: number, price: number, key: string, signal: AbortSignal) => Promise<LostLoan>
  undo: (change: number, key: string, signal: AbortSignal) => Promise<{ messages: readonly Message[] }>
  /** Returns true if a copy has this barcode. */
  isCopy: (code: string, signal: AbortSignal) => Promise<boolean>
}

type QueueOptions = {
  owner: string
  store: Store
  calls: Calls
  /** `isShown`: the desk is on the screen. */
  onEntry: (entry: LogEntry, isShown: boolean) => void
  onUnknown?: () => void
  /** True if this desk's librarian is signed in: waiting tasks are never sent in another person's name. */
  isOwners?: () => boolean
  /** Called when the server refused a task because the session has ended. */
  onSignedOut?: () => void
}

/** Draft of a page version without the outbox: unsent scans, and the open reader if any. */
export type LeftByOldPage = {
  scans: readonly { key: string; label: string; request: Request }[]
  open: readonly { uid: number; name: string; since: string }[]
}

/** Handlers of an entry's buttons. */
export type EntryActions = Pick<Desk, 'again' | 'setAside' | 'show'> & { act: (label: string, task: Task) => void }

type Result = { kind: 'answered'; answer: DeskAnswer } | ({ kind: 'settled' } & Settled) | { kind: 'closed' }

/** Outcome of a task for the form that sent it. */
export type FormEnding = { done: Settled } | { refused: unknown }

const OPEN = 'open'
const HELD = 'held'
const ENTRY = 'entry '
const DOUBTS = 'doubts'

/**
 * State of the desk, a reducer over the outbox. Tasks are sent one at a time, and each takes effect once however often it is
 * sent. The open reader is the one named by the server's last answer.
 */
export class Desk {
  #state: DeskState = {
    open: null,
    log: [],
    mode: null,
    acts: new Map(),
    held: [],
    bounced: null,
    waiting: [],
    unknown: [],
    line: 'clear',
    newer: 0,
  }
  readonly #listeners = new Set<() => void>()
  readonly #options: QueueOptions
  readonly #outbox: Outbox<Task, Result>
  #silence: ReturnType<typeof setTimeout> | undefined
  /** Epoch milliseconds. */
  #modeUntil: number | null = null
  #modeTimer: ReturnType<typeof setTimeout> | undefined
  #last = { code: '', at: -Infinity }
  /** Barcodes extended by a button, with the time of the press. */
  readonly #extended = new Map<string, number>()
  /** Keys of phone scans received: the server repeats scans after a reconnection. */
  readonly #heard = new Set<string>()
  /** Acts that are completed or set aside. */
  readonly #done = new Set<string>()
  /** Unsettled entries as last stored. */
  readonly #stored = new Map<string, LogEntry>()
  /** Open forms by the key of their task; a refusal is shown by its form and not in the log. */
  readonly #forms = new Map<string, (ending: FormEnding) => void>()
  /** Number of desk screens shown. */
  #screens = 0
  #seeing: ReturnType<typeof setTimeout> | undefined
  /** Codes scanned with an unknown outcome since the last answer: one may be the card of the next reader. */
  #doubts: readonly string[] = []

  constructor(options: QueueOptions) {
    this.#options = options
    this.#outbox = new Outbox<Task, Result>({
      box: 'desk',
      owner: options.owner,
      store: options.store,
      tryMs: TRY_MS,
      knows: isTask,
      perform: this.#perform,
      onEnd: this.#end,
      onLoad: this.#load,
      onChange: () => this.#set({}),
      ...(options.isOwners && { isOwners: options.isOwners }),
      ...(options.onSignedOut && { onSignedOut: options.onSignedOut }),
      onUnknown: (entry) => {
        this.#doubt(entry.task)
        options.onUnknown?.()
      },
    })
  }

  /** Sends the tasks that waited when the page was reloaded or the session ended (R-DESK-10). */
  readonly resume = (): Promise<void> => this.#outbox.resume()

  /** Imports the unsent scans that an older version of this page left in the tab. */
  readonly takeOver = ({ scans, open }: LeftByOldPage): void => {
    for (const { uid, name, since } of open) this.#outbox.add(name, { kind: 'reopen', uid, name, since })
    for (const { key, label, request } of scans) this.#outbox.add(label, { kind: 'scan', request }, { key })
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  readonly snapshot = (): DeskState => this.#state

  /** Handles a code from the scanner or the keyboard. */
  readonly scan = (code: string): void => {
    if (this.#isBounce(code)) this.#set({ bounced: { code, at: performance.now() } })
    else this.#outbox.add(code, { kind: 'scan', request: this.#requestOf(code) })
  }

  /** Opens a reader or a title chosen while its name was typed. */
  readonly choose = (typed: string, choice: string): void => {
    this.#outbox.add(typed, { kind: 'scan', request: { ...this.#requestOf(typed), choice } })
  }

  /** Holds a code that was scanned into a form, until the form is submitted or closed. */
  readonly hold = (code: string): void => {
    if (this.#isBounce(code)) this.#set({ bounced: { code, at: performance.now() } })
    else this.#setHeld([...this.#state.held, code])
  }

  /** Sends the held scans. */
  readonly release = (): void => {
    const { held } = this.#state
    if (held.length === 0) return
    for (const code of held) this.#outbox.add(code, { kind: 'scan', request: this.#requestOf(code) })
    this.#setHeld([])
  }

  /** Handles a code from a phone, which filters bounces itself; the server sends the answer to the phone too. */
  readonly scanFromPhone = ({ id, key, code }: PhoneScan): void => {
    const { waiting, unknown } = this.#state
    if (this.#heard.has(key) || [...waiting, ...unknown].some((entry) => entry.key === key)) return
    this.#heard.add(key)
    this.#outbox.add(code, { kind: 'scan', request: { ...this.#requestOf(code), phoneScan: id } }, { key })
  }

  /**
   * Performs a button's task once; a second press, also of the same button elsewhere, is a no-op. Returns the key of the
   * task, or null.
   */
  readonly act = (label: string, task: Task): string | null =>
    actsOf(task).some((act) => this.#state.acts.has(act)) ? null : this.#outbox.add(label, task)

  /** Reports the outcome of a task to an open form. Returns a function that ends this, when the form closes. */
  readonly watch = (key: string, onEnd: (ending: FormEnding) => void): (() => void) => {
    this.#forms.set(key, onEnd)
    return () => void (this.#forms.get(key) === onEnd && this.#forms.delete(key))
  }

  /** Notes that the desk is on the screen. Returns a function that ends this. */
  readonly enter = (): (() => void) => {
    this.#screens += 1
    this.#seeLater()
    return () => void (this.#screens -= 1)
  }

  /** True while the desk is on the screen. */
  get isOnScreen(): boolean {
    return this.#screens > 0
  }

  #seeLater(): void {
    clearTimeout(this.#seeing)
    this.#seeing = setTimeout(() => {
      if (this.#screens === 0 || !this.#state.log.some(({ isUnseen }) => isUnseen)) return
      this.#set({ log: this.#state.log.map((one) => (one.isUnseen ? seen(one) : one)) })
    }, SEEN_MS)
  }

  /** Retries a refused task as a new task. */
  readonly again = (entry: LogEntry): void => {
    if (entry.outcome.kind !== 'failed' || this.#done.has(`aside ${entry.id}`)) return
    this.#done.add(`aside ${entry.id}`)
    this.#outbox.add(entry.label, entry.outcome.task)
  }

  /** Extends a loan of the open reader; a second press within the bounce time is ignored. */
  readonly extend = (barcode: string, label: string): void => {
    const at = performance.now()
    const isWaiting = this.#state.waiting.some((entry) => entry.label === label)
    if (isWaiting || at - (this.#extended.get(barcode) ?? -Infinity) < BOUNCE_MS) return
    this.#extended.set(barcode, at)
    this.#outbox.add(label, { kind: 'scan', request: { code: barcode, intent: 'renew' } })
  }

  /** Marks an entry as settled. */
  readonly setAside = (entry: LogEntry): void => {
    this.#done.add(`aside ${entry.id}`)
    this.#set({})
  }

  /** Moves an earlier entry to the front, with its offers. */
  readonly show = (entry: LogEntry): void => {
    const { isRestored: _, ...shown } = entry
    this.#set({ log: [shown, ...this.#state.log.filter(({ id }) => id !== entry.id)] })
  }

  readonly tryAgain = (key: string): void => this.#outbox.tryAgain(key)

  /** Gives up a task whose outcome is unknown. */
  readonly giveUp = (key: string): void => {
    const entry = this.#outbox.setAside(key)
    if (entry) this.#append({ id: newKey(), label: entry.label, outcome: { kind: 'set-aside' } })
  }

  /** Closes the open reader once all waiting tasks are done. */
  readonly close = (): void => {
    this.#last = { code: '', at: -Infinity }
    // Stored tasks that are not loaded yet may open a reader.
    if (this.#state.waiting.length > 0 || !this.#outbox.isLoaded)
      this.#outbox.add(t('desk.screen.closing'), { kind: 'close' })
    else this.#setOpen(null)
  }

  /** Reloads the open reader's loans and dues. */
  readonly refresh = (): void => {
    const { open } = this.#state
    if (!open) return
    const { uid, name } = open
    this.#outbox.add(name, { kind: 'refresh', uid, name }, { isVolatile: true })
  }

  /** Sets the mode; the last code may then be scanned again at once. The book drop closes the open reader. */
  readonly setMode = (mode: Mode | null): void => {
    if (mode?.kind === 'drop' && this.#state.open) this.close()
    this.#last = { code: '', at: -Infinity }
    this.#modeUntil = null
    this.#set({ mode })
    this.#keepMode()
  }

  /** Ends a mode that was idle too long, else restarts its timer. Checks the clock, because timers may stop during sleep. */
  #keepMode(): void {
    const isOver = this.#modeUntil !== null && Date.now() >= this.#modeUntil
    clearTimeout(this.#modeTimer)
    if (!this.#state.mode || isOver) {
      this.#modeUntil = null
      if (this.#state.mode) this.#set({ mode: null })
      return
    }
    this.#modeUntil = Date.now() + MODE_MS
    this.#modeTimer = setTimeout(() => this.#keepMode(), MODE_MS)
  }

  /** Replaces the day of the book drop, unless the librarian chose another one meanwhile. */
  readonly changeDay = (from: string, to: string): void => {
    const { mode } = this.#state
    if (mode?.kind === 'drop' && mode.day === from) this.#set({ mode: { kind: 'drop', day: to } })
  }

  /** True if this code repeats the last one within the bounce time, or is already last in the queue. */
  #isBounce(code: string): boolean {
    const folded = code.toLowerCase()
    const at = performance.now()
    const isSame = folded === this.#last.code
    const isSoon = at - this.#last.at < BOUNCE_MS
    const last = this.#state.waiting.at(-1)
    const isWaiting = last?.task.kind === 'scan' && !last.task.card && last.label.toLowerCase() === folded
    this.#last = { code: folded, at }
    return isSame && (isSoon || isWaiting)
  }

  #requestOf(code: string): Request {
    this.#keepMode()
    const { mode } = this.#state
    if (mode?.kind === 'drop') return { code, intent: 'return', returnedOn: mode.day }
    return { code, ...(mode && { intent: 'renew' }) }
  }

  readonly #perform = async (
    { key, task }: Entry<Task>,
    { signal, freeze }: { signal: AbortSignal; freeze: <B>(body: B) => B },
  ): Promise<Result> => {
    const { calls } = this.#options
    switch (task.kind) {
      case 'close':
        return { kind: 'closed' }
      case 'reopen':
      case 'refresh':
        return {
          kind: 'answered',
          answer: await calls.scan({ code: task.name, choice: `person:${task.uid}` }, key, signal),
        }
      case 'scan': {
        await this.#resolveDoubts(signal)
        const { open } = this.#state
        const body = freeze<Scan>({ ...task.request, ...(open && { person: open.uid, since: open.since }) })
        return { kind: 'answered', answer: await calls.scan(body, key, signal) }
      }
      case 'pay': {
        const { fines, amount, method, reference } = task
        const charges = fines.charges.map(({ id }) => id)
        const form = freeze<PaymentForm>({ amount, method, charges, ...(reference && { reference }) })
        const { receipt, change } = await calls.pay(fines.uid, form, key, signal)
        const words = [named(receipt.userName, t('desk.screen.taken', receipt))]
        return { kind: 'settled', words, receipt, change }
      }
      case 'waive': {
        const [charge] = task.fines.charges
        if (!charge) return { kind: 'settled', words: [] }
        const { amount = charge.open } = task
        const form = freeze<WaiverForm>({ amount, reason: task.reason })
        const { change } = await calls.waive(charge.id, form, key, signal)
        return { kind: 'settled', words: [named(task.fines.name, t('desk.screen.waived', { amount }))], change }
      }
      case 'refund': {
        const { uid, name, amount, method, reference } = task
        const { change } = await calls.refund(uid, freeze<RefundForm>({ amount, method, reference }), key, signal)
        return { kind: 'settled', words: [named(name, t('desk.screen.refunded', { amount }))], change }
      }
      case 'charge': {
        const { uid, name, amount, of, reason } = task
        const { change } = await calls.charge(uid, freeze<ChargeForm>({ amount, kind: of, reason }), key, signal)
        const words = [named(name, t('desk.screen.charged', { amount, reason: quoted(reason) }))]
        return { kind: 'settled', words, change }
      }
      case 'lost': {
        const lost = await calls.lost(task.loan.id, freeze(task.price), key, signal)
        const sum = lost.charges.reduce((cents, { amount }) => cents + Math.round(amount * 100), 0) / 100
        const words = [named(task.loan.userName, t('desk.screen.lost', { title: quoted(task.loan.title), sum }))]
        return { kind: 'settled', words, lost, change: lost.change }
      }
      case 'reverse-payment': {
        const { receipt, amount, reason } = task
        const { change } = await calls.reversePayment(receipt, freeze(reason), key, signal)
        return { kind: 'settled', words: [t('money.reverse.done', { receipt, amount })], change }
      }
      case 'reverse-charge': {
        const { charge, amount, reason } = task
        const { change } = await calls.reverseCharge(charge, freeze(reason), key, signal)
        return { kind: 'settled', words: [t('money.reverse.chargeDone', { amount })], change }
      }
      case 'closing': {
        const closing = await calls.closing(freeze(task.form), key, signal)
        return { kind: 'settled', words: [t('money.close.done', { number: closing.number })], closing }
      }
      case 'undo': {
        freeze(task.change)
        const { messages } = await calls.undo(task.change, key, signal)
        return { kind: 'settled', words: messages.map(wordsOf) }
      }
    }
  }

  /** Applies an answer; the outbox notifies listeners afterwards. */
  readonly #end = (entry: Entry<Task>, ending: Ending<Result>): void => {
    if (ending.kind !== 'done') return this.#failed(entry, ending)
    const { result } = ending
    if (result.kind === 'closed') return this.#putOpen(null)
    if (result.kind === 'answered') return this.#answered(entry, result.answer)
    const { label, task, key } = entry
    for (const act of actsOf(task)) if (task.kind === 'undo') this.#done.add(act)
    this.#state = { ...this.#state, log: this.#withMoney(task) }
    this.#put({ id: key, label, outcome: { ...result, task }, isUnseen: true })
    this.#forms.get(key)?.({ done: result })
    // The reader's loans and dues may have changed.
    queueMicrotask(this.refresh)
  }

  #answered({ key, label, task, late }: Entry<Task>, answer: DeskAnswer): void {
    const { open } = this.#state
    const person = answer.person
    if (task.kind === 'reopen') {
      if (person) this.#putOpen({ uid: person.uid, name: person.name, since: task.since, reader: person })
      return
    }
    if (task.kind === 'refresh') {
      // The next reader's card may have been scanned meanwhile.
      if (person && open?.uid === person.uid) this.#putOpen({ ...open, reader: person })
      return
    }
    if (task.kind !== 'scan') return
    if (task.card !== undefined) this.#done.add(`card ${task.card}`)
    // In book-drop mode, a card does not open its reader.
    if (task.request.returnedOn !== undefined && answer.outcome === 'person') {
      const code = 'desk.screen.dropCard'
      const messages = [{ code, params: {}, text: t(code) }]
      const told: DeskAnswer = { ...answer, class: 'stop', messages, person: null }
      this.#put({ id: key, label, outcome: { kind: 'answered', request: task.request, answer: told } })
      return
    }
    // A late answer does not change the open reader.
    if (!late) {
      const since = answer.outcome === 'person' || !open ? answer.at : open.since
      this.#putOpen(person && { uid: person.uid, name: person.name, since, reader: person })
    } else if (person && open?.uid === person.uid) this.#putOpen({ ...open, reader: person })
    this.#put({ id: key, label, outcome: { kind: 'answered', request: task.request, answer } })
  }

  #failed({ key, label, task }: Entry<Task>, ending: Exclude<Ending<Result>, { kind: 'done' }>): void {
    const form = this.#forms.get(key)
    if (form) return form({ refused: ending.error })
    // The strip keeps showing the reader's name; only loans and dues are missing.
    if (task.kind === 'reopen' || task.kind === 'refresh') return
    this.#doubt(task)
    // Already done: sent earlier by another page, or by this one before its reload.
    const isDone = ending.kind === 'refused' && ending.error.code === 'idempotency-key-reused'
    if (task.kind === 'scan' && isDone) return
    this.#put({ id: newKey(), label, outcome: { kind: 'failed', reason: messageOf(ending.error), task } })
  }

  /**
   * Notes a scan with an unknown outcome while a reader is open: the scan may be the card of the next reader, and books
   * scanned after that card are not for the open reader.
   */
  #doubt(task: Task): void {
    if (task.kind !== 'scan' || !this.#state.open) return
    const { code, choice, damaged, override } = task.request
    // Only these open a reader: a plain scan, and a chosen person.
    if (damaged || override || (typeof choice === 'string' && !choice.startsWith('person:'))) return
    this.#setDoubts([...this.#doubts, code])
  }

  /** Closes the reader, unless each scan with an unknown outcome was of a book. */
  async #resolveDoubts(signal: AbortSignal): Promise<void> {
    if (this.#doubts.length === 0) return
    const areBooks = await Promise.all(this.#doubts.map((code) => this.#options.calls.isCopy(code, signal)))
    this.#setDoubts([])
    if (areBooks.includes(false)) this.#setOpen(null)
  }

  #setDoubts(doubts: readonly string[]): void {
    this.#doubts = doubts
    this.#outbox.remember(DOUBTS, doubts.length > 0 ? doubts : null)
  }

  /** Returns the entries with their fines after a payment, a waiver, or the undo of one. */
  #withMoney(task: Task): readonly LogEntry[] {
    const { log } = this.#state
    if (task.kind === 'pay') return lowered(log, task.fines, task.amount)
    if (task.kind === 'waive') return lowered(log, task.fines, task.amount ?? Infinity)
    if (task.kind !== 'undo') return log
    const undone = log.find(({ outcome }) => outcome.kind === 'settled' && outcome.change === task.change)
    if (undone?.outcome.kind !== 'settled') return log
    const { task: first } = undone.outcome
    return first.kind === 'pay' || first.kind === 'waive' ? restored(log, first.fines) : log
  }

  /** Restores the tasks of earlier pages lane by lane, each with its own open reader. */
  readonly #load = (lanes: readonly Lane<Task>[], own: string): readonly Entry<Task>[] => {
    const entries: Entry<Task>[] = []
    const synthetic = (label: string, task: Task): Entry<Task> => ({
      key: newKey(),
      at: Date.now(),
      label,
      task,
      lane: own,
      isVolatile: true,
    })
    for (const { name, entries: left, notes } of lanes) {
      const held = notes.get(HELD)
      const codes = Array.isArray(held) ? held.filter((code) => typeof code === 'string') : []
      // If the outcome of a scan is unknown, the scan may have opened the next reader.
      const open = notes.has(DOUBTS) ? null : notes.get(OPEN)
      if (left.length + codes.length > 0) {
        if (entries.length > 0) entries.push(synthetic('', { kind: 'close' }))
        if (isOpen(open)) entries.push(synthetic(open.name, { kind: 'reopen', ...open }))
        entries.push(...left)
        // The form for which these codes were held no longer exists.
        for (const code of codes) this.#outbox.add(code, { kind: 'scan', request: { code } })
      }
      this.#outbox.remember(HELD, null, name)
      for (const [note, value] of notes) {
        const isOver = note === DOUBTS || (note === OPEN && (left.length === 0 || notes.has(DOUBTS)))
        if (name !== own || isOver) this.#outbox.remember(note, null, name)
        if (note.startsWith(ENTRY) && isLogEntry(value)) this.#restore(value, name === own)
      }
    }
    const [first] = entries
    // The strip shows the name at once and the rest with the server's answer.
    if (first?.task.kind === 'reopen') {
      const { uid, name, since } = first.task
      this.#putOpen({ uid, name, since, reader: null })
    }
    return entries
  }

  #restore(entry: LogEntry, isOwn: boolean): void {
    const one: LogEntry = { ...entry, isRestored: true }
    if (isOwn) this.#stored.set(one.id, one)
    this.#state = { ...this.#state, log: [...this.#state.log, one] }
  }

  #setOpen(open: Open | null): void {
    this.#putOpen(open)
    this.#set({})
  }

  #putOpen(open: Open | null): void {
    clearTimeout(this.#silence)
    if (open) this.#silence = setTimeout(this.#onSilence, SILENCE_MS)
    this.#state = { ...this.#state, open }
    this.#outbox.remember(OPEN, open && { uid: open.uid, name: open.name, since: open.since })
  }

  /** Closes the reader who was idle too long, unless scans wait for the connection: those are for this reader. */
  readonly #onSilence = (): void => {
    if (this.#state.waiting.length === 0) this.close()
    else this.#silence = setTimeout(this.#onSilence, SILENCE_MS)
  }

  #setHeld(held: readonly string[]): void {
    this.#outbox.remember(HELD, held.length > 0 ? held : null)
    this.#set({ held })
  }

  #append(one: LogEntry): void {
    this.#put(one)
    this.#set({})
  }

  #put(one: LogEntry): void {
    const isShown = this.#screens > 0
    const log = [isShown ? one : { ...one, isUnseen: true as const }, ...this.#state.log]
    if (isShown) this.#seeLater()
    const isKept = (entry: LogEntry, index: number) => index < KEPT || isUnsettled(entry, this.#state.acts)
    this.#state = { ...this.#state, log: log.filter(isKept), bounced: null }
    this.#options.onEntry(one, isShown)
  }

  #set(changes: Partial<DeskState>): void {
    const { waiting, unknown, line, newer } = this.#outbox.state
    const now = this.#actsNow()
    // Keeps the same map unless a button was pressed, so that memoised components do not render.
    const acts = isSame(now, this.#state.acts) ? this.#state.acts : now
    this.#state = { ...this.#state, ...changes, waiting, unknown, line, newer, acts }
    this.#storeUnsettled()
    for (const listener of this.#listeners) listener()
  }

  #actsNow(): Acts {
    const acts = new Map<string, 'sent' | 'done'>([...this.#done].map((act) => [act, 'done']))
    const { waiting, unknown } = this.#outbox.state
    for (const { task } of [...waiting, ...unknown]) for (const act of actsOf(task)) acts.set(act, 'sent')
    return acts
  }

  /** Stores unsettled and unseen entries, and open choices, so that they survive a reload (R-SEAM-6). */
  #storeUnsettled(): void {
    const { log, acts } = this.#state
    // An optional choice, such as a swap, is over with the next answer.
    const isKept = (one: LogEntry) =>
      one.isUnseen === true || isUnsettled(one, acts) || (one === log[0] && offersChoices(one, acts))
    const open = new Map(log.filter(isKept).map((one) => [one.id, one]))
    for (const [id, one] of open) {
      if (this.#stored.get(id) !== one) this.#outbox.remember(ENTRY + id, one)
    }
    for (const id of this.#stored.keys()) if (!open.has(id)) this.#outbox.remember(ENTRY + id, null)
    this.#stored.clear()
    for (const [id, one] of open) this.#stored.set(id, one)
  }
}

/** Puts the reader's name before a sentence: the next reader may be open when the answer comes. */
const named = (name: string | null | undefined, sentence: string): string =>
  name ? t('outbox.named', { action: name, label: sentence }) : sentence

function seen(entry: LogEntry): LogEntry {
  const { isUnseen: _, ...rest } = entry
  return rest
}

const isSame = (a: Acts, b: Acts): boolean => a.size === b.size && [...a].every(([act, state]) => b.get(act) === state)

const rounded = (amount: number): number => Math.round(amount * 100) / 100

const withOpen = (log: readonly LogEntry[], openOf: (charge: Charge) => number | undefined): readonly LogEntry[] =>
  log.map((one) => {
    const { outcome } = one
    if (outcome.kind === 'settled' && outcome.lost) {
      const charges = outcome.lost.charges.map((charge) => ({ ...charge, open: openOf(charge) ?? charge.open }))
      return { ...one, outcome: { ...outcome, lost: { ...outcome.lost, charges } } }
    }
    if (outcome.kind !== 'answered' || !outcome.answer.charge) return one
    const open = openOf(outcome.answer.charge)
    if (open === undefined) return one
    return {
      ...one,
      outcome: { ...outcome, answer: { ...outcome.answer, charge: { ...outcome.answer.charge, open } } },
    }
  })

/** Returns the entries after this amount was paid towards the charges, in order. */
function lowered(log: readonly LogEntry[], { charges }: Fines, amount: number): readonly LogEntry[] {
  let left = amount
  const open = new Map<number, number>()
  for (const charge of charges) {
    const part = Math.min(left, charge.open)
    left = rounded(left - part)
    open.set(charge.id, rounded(charge.open - part))
  }
  return withOpen(log, ({ id }) => open.get(id))
}

const restored = (log: readonly LogEntry[], { charges }: Fines): readonly LogEntry[] =>
  withOpen(log, ({ id }) => charges.find((charge) => charge.id === id)?.open)

function isOpen(value: unknown): value is { uid: number; name: string; since: string } {
  if (typeof value !== 'object' || value === null) return false
  const { uid, name, since } = value as Record<string, unknown>
  return typeof uid === 'number' && typeof name === 'string' && typeof since === 'string'
}
