import type { Charge, DeskAnswer, DeskReader, Message, PaymentForm, PhoneScan, Receipt, Scan } from '../api/types'
import { t } from '../lib/messages'
import { newKey } from '../lib/newKey'
import { Outbox, type Ending, type Entry, type OutboxState } from '../lib/outbox'
import type { Lane, Store } from '../lib/outboxStore'
import { messageOf } from '../lib/problem'
import { actsOf, isUnsettled, type Acts } from './acts'
import { isTask, isTold, type Fines, type Mode, type Request, type Task, type Told } from './tasks'
import { wordsOf } from './words'

/** The person who is open, and since when; the rest is read again after a reload. */
export type Open = { uid: number; name: string; since: string; reader: DeskReader | null }

export type DeskState = Pick<OutboxState<Task>, 'waiting' | 'unknown' | 'line' | 'newer'> & {
  open: Open | null
  /** Newest first. */
  told: readonly Told[]
  mode: Mode | null
  /** What was pressed: on its way or done. */
  acts: Acts
  /** Codes scanned while a form was open. They are sent when it is answered or closed. */
  held: readonly string[]
  /** Code of the last scan, if it was the scanner's trigger that bounced. */
  bounced: { code: string; at: number } | null
}

/** The same code again within this time is the scanner's trigger that bounced (Law 7). */
const BOUNCE_MS = 3000
/** After so long without a scan the person closes, so that nothing is lent to a reader who has left (R-DESK-3). */
const SILENCE_MS = 60_000
const TRY_MS = 5000
/** Settled answers that stay on the screen; the activity has them all. */
const KEPT = 50

type Calls = {
  scan: (scan: Scan, key: string, signal: AbortSignal) => Promise<DeskAnswer>
  pay: (
    uid: number,
    form: PaymentForm,
    key: string,
    signal: AbortSignal,
  ) => Promise<{ receipt: Receipt; change: number }>
  waive: (charge: number, reason: string, key: string, signal: AbortSignal) => Promise<{ change: number }>
  undo: (change: number, key: string, signal: AbortSignal) => Promise<{ messages: readonly Message[] }>
}

type Around = {
  owner: string
  store: Store
  calls: Calls
  onTold: (told: Told) => void
  onUnknown?: () => void
  /** Whether this desk's librarian is signed in: what waits is never sent in another person's name. */
  isOwners?: () => boolean
  /** Called when the server refused a task because the session has ended. */
  onSignedOut?: () => void
}

/** Scans that a page without the outbox left, and the person who was open: nobody, or one. */
export type LeftByOldPage = {
  scans: readonly { key: string; label: string; request: Request }[]
  open: readonly { uid: number; name: string; since: string }[]
}

/** What the buttons of an entry do. */
export type Doing = Pick<Desk, 'act' | 'again' | 'setAside' | 'show'>

type Result =
  | { kind: 'answered'; answer: DeskAnswer }
  | { kind: 'settled'; words: readonly string[]; receipt?: Receipt; change?: number | null }
  | { kind: 'closed' }

const OPEN = 'open'
const HELD = 'held'
const TOLD = 'told '

/**
 * The desk's memory, a reducer over the outbox: tasks are sent one after the other, each done once however often it has to
 * be sent, and the person who is open is the one that the server's last answer names.
 */
export class Desk {
  #state: DeskState = {
    open: null,
    told: [],
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
  readonly #around: Around
  readonly #outbox: Outbox<Task, Result>
  #silence: ReturnType<typeof setTimeout> | undefined
  #last = { code: '', at: -Infinity }
  /** Keys of phone scans: the server repeats them after a lost connection. */
  readonly #heard = new Set<string>()
  /** Acts that are done or set aside. */
  readonly #done = new Set<string>()
  /** Unsettled entries as they are stored. */
  readonly #stored = new Map<string, Told>()

  constructor(around: Around) {
    this.#around = around
    this.#outbox = new Outbox<Task, Result>({
      box: 'desk',
      owner: around.owner,
      store: around.store,
      tryMs: TRY_MS,
      knows: isTask,
      perform: this.#perform,
      onEnd: this.#end,
      onLoad: this.#load,
      onChange: () => this.#set({}),
      ...(around.isOwners && { isOwners: around.isOwners }),
      ...(around.onSignedOut && { onSignedOut: around.onSignedOut }),
      ...(around.onUnknown && { onUnknown: around.onUnknown }),
    })
  }

  /** Sends what waited when the page was reloaded or the session ended (R-DESK-10). */
  readonly resume = (): Promise<void> => this.#outbox.resume()

  /** Takes the scans that a page of before the outbox left in this tab. */
  readonly takeOver = ({ scans, open }: LeftByOldPage): void => {
    for (const { uid, name, since } of open) this.#outbox.add(name, { kind: 'reopen', uid, name, since })
    for (const { key, label, request } of scans) this.#outbox.add(label, { kind: 'scan', request }, { key })
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  readonly snapshot = (): DeskState => this.#state

  /** Takes a code from the scanner or the keyboard. */
  readonly scan = (code: string): void => {
    if (this.#isBounce(code)) this.#set({ bounced: { code, at: performance.now() } })
    else this.#outbox.add(code, { kind: 'scan', request: this.#requestOf(code) })
  }

  /** Takes a code that was scanned into a form: it waits until the form is answered or closed. */
  readonly hold = (code: string): void => {
    if (this.#isBounce(code)) this.#set({ bounced: { code, at: performance.now() } })
    else this.#setHeld([...this.#state.held, code])
  }

  /** Sends what was scanned into a form. */
  readonly release = (): void => {
    const { held } = this.#state
    if (held.length === 0) return
    for (const code of held) this.#outbox.add(code, { kind: 'scan', request: this.#requestOf(code) })
    this.#setHeld([])
  }

  /** Takes a code from a phone, which knows a trigger that bounces by itself; the server tells the phone the answer too. */
  readonly hear = ({ id, key, code }: PhoneScan): void => {
    const { waiting, unknown } = this.#state
    if (this.#heard.has(key) || [...waiting, ...unknown].some((entry) => entry.key === key)) return
    this.#heard.add(key)
    this.#outbox.add(code, { kind: 'scan', request: { ...this.#requestOf(code), phoneScan: id } }, { key })
  }

  /** Does what a button offers. A second press of it, or of its twin in another place, does nothing. */
  readonly act = (label: string, task: Task): void => {
    if (actsOf(task).some((act) => this.#state.acts.has(act))) return
    this.#outbox.add(label, task)
  }

  /** Asks again for what the server refused, as a new task. */
  readonly again = (told: Told): void => {
    if (told.outcome.kind !== 'failed' || this.#done.has(`aside ${told.id}`)) return
    this.#done.add(`aside ${told.id}`)
    this.#outbox.add(told.label, told.outcome.task)
  }

  /** Takes an entry off the list of what is unsettled. */
  readonly setAside = (told: Told): void => {
    this.#done.add(`aside ${told.id}`)
    this.#set({})
  }

  /** Puts an earlier entry in front, with all that it offers. */
  readonly show = (told: Told): void => {
    const { isRestored: _, ...shown } = told
    this.#set({ told: [shown, ...this.#state.told.filter(({ id }) => id !== told.id)] })
  }

  readonly tryAgain = (key: string): void => this.#outbox.tryAgain(key)

  /** Gives up a task of which is not known whether it was done. */
  readonly giveUp = (key: string): void => {
    const entry = this.#outbox.setAside(key)
    if (entry) this.#tell({ id: newKey(), label: entry.label, outcome: { kind: 'set-aside' } })
  }

  /** Closes the person, once what was scanned for the person is done. */
  readonly close = (): void => {
    this.#last = { code: '', at: -Infinity }
    if (this.#state.waiting.length > 0) this.#outbox.add(t('desk.screen.closing'), { kind: 'close' })
    else this.#setOpen(null)
  }

  /** Reads again what the person has and owes. */
  readonly refresh = (): void => {
    const { open } = this.#state
    if (!open) return
    const { uid, name, since } = open
    this.#outbox.add(name, { kind: 'reopen', uid, name, since }, { isVolatile: true })
  }

  /** What is scanned means something else from now on, the same code too. Nobody stands at a book drop. */
  readonly setMode = (mode: Mode | null): void => {
    if (mode?.kind === 'drop' && this.#state.open) this.close()
    this.#last = { code: '', at: -Infinity }
    this.#set({ mode })
  }

  /** Replaces the day of the book drop, unless the librarian chose another one meanwhile. */
  readonly changeDay = (from: string, to: string): void => {
    const { mode } = this.#state
    if (mode?.kind === 'drop' && mode.day === from) this.#set({ mode: { kind: 'drop', day: to } })
  }

  /** Whether this is the scanner's trigger that bounced, or a code that is the last of those that wait already. */
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
    const { mode } = this.#state
    if (mode?.kind === 'drop') return { code, intent: 'return', returnedOn: mode.day }
    return { code, ...(mode && { intent: 'renew' }) }
  }

  readonly #perform = async (
    { key, task }: Entry<Task>,
    { signal, freeze }: { signal: AbortSignal; freeze: <B>(body: B) => B },
  ): Promise<Result> => {
    const { calls } = this.#around
    switch (task.kind) {
      case 'close':
        return { kind: 'closed' }
      case 'reopen':
        return {
          kind: 'answered',
          answer: await calls.scan({ code: task.name, choice: `person:${task.uid}` }, key, signal),
        }
      case 'scan': {
        const { open } = this.#state
        const body = freeze<Scan>({ ...task.request, ...(open && { person: open.uid, since: open.since }) })
        return { kind: 'answered', answer: await calls.scan(body, key, signal) }
      }
      case 'pay': {
        const { fines, amount, method } = task
        const form = freeze<PaymentForm>({ amount, method, charges: fines.charges.map(({ id }) => id) })
        const { receipt, change } = await calls.pay(fines.uid, form, key, signal)
        const words = [t('desk.screen.taken', { amount: receipt.amount, number: receipt.number })]
        return { kind: 'settled', words, receipt, change }
      }
      case 'waive': {
        const [charge] = task.fines.charges
        if (!charge) return { kind: 'settled', words: [] }
        const { change } = await calls.waive(charge.id, freeze(task.reason), key, signal)
        return { kind: 'settled', words: [t('desk.screen.waived', { amount: charge.open })], change }
      }
      case 'undo': {
        freeze(task.change)
        const { messages } = await calls.undo(task.change, key, signal)
        return { kind: 'settled', words: messages.map(wordsOf) }
      }
    }
  }

  /** Takes over an answer. The outbox tells the listeners afterwards. */
  readonly #end = (entry: Entry<Task>, ending: Ending<Result>): void => {
    if (ending.kind !== 'done') return this.#failed(entry, ending)
    const { result } = ending
    if (result.kind === 'closed') return this.#putOpen(null)
    if (result.kind === 'answered') return this.#answered(entry, result.answer)
    const { label, task, key } = entry
    for (const act of actsOf(task)) if (task.kind === 'undo') this.#done.add(act)
    this.#state = { ...this.#state, told: this.#withMoney(task) }
    this.#put({ id: key, label, outcome: { ...result, task } })
    // What the person has and owes may have changed.
    queueMicrotask(this.refresh)
  }

  #answered({ key, label, task, late }: Entry<Task>, answer: DeskAnswer): void {
    const { open } = this.#state
    const person = answer.person
    if (task.kind === 'reopen') {
      if (person) this.#putOpen({ uid: person.uid, name: person.name, since: task.since, reader: person })
      return
    }
    if (task.kind !== 'scan') return
    if (task.card !== undefined) this.#done.add(`card ${task.card}`)
    // An answer that comes late says nothing about who stands here now.
    if (!late) {
      const since = answer.outcome === 'person' || !open ? answer.at : open.since
      this.#putOpen(person && { uid: person.uid, name: person.name, since, reader: person })
    } else if (person && open?.uid === person.uid) this.#putOpen({ ...open, reader: person })
    this.#put({ id: key, label, outcome: { kind: 'answered', request: task.request, answer } })
  }

  #failed({ label, task }: Entry<Task>, ending: Exclude<Ending<Result>, { kind: 'done' }>): void {
    // The strip keeps the name, for which the server was not needed.
    if (task.kind === 'reopen') return
    // Another page sent it first, or this one before it was reloaded: it is done.
    const isDone = ending.kind === 'refused' && ending.error.code === 'idempotency-key-reused'
    if (task.kind === 'scan' && isDone) return
    this.#put({ id: newKey(), label, outcome: { kind: 'failed', reason: messageOf(ending.error), task } })
  }

  /** The fines on the screen after a payment, a waiver, or the undo of one. */
  #withMoney(task: Task): readonly Told[] {
    const { told } = this.#state
    if (task.kind === 'pay') return lowered(told, task.fines, task.amount)
    if (task.kind === 'waive') return lowered(told, task.fines, Infinity)
    if (task.kind !== 'undo') return told
    const undone = told.find(({ outcome }) => outcome.kind === 'settled' && outcome.change === task.change)
    if (undone?.outcome.kind !== 'settled') return told
    const { task: first } = undone.outcome
    return first.kind === 'pay' || first.kind === 'waive' ? restored(told, first.fines) : told
  }

  /** What an earlier page left, in the order of its lanes; of several, each has its own person. */
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
      const open = notes.get(OPEN)
      if (left.length + codes.length > 0) {
        if (entries.length > 0) entries.push(synthetic('', { kind: 'close' }))
        if (isOpen(open)) entries.push(synthetic(open.name, { kind: 'reopen', ...open }))
        entries.push(...left)
        // The form for which they waited is gone with its page.
        for (const code of codes) this.#outbox.add(code, { kind: 'scan', request: { code } })
      }
      this.#outbox.remember(HELD, null, name)
      for (const [note, value] of notes) {
        if (name !== own || (note === OPEN && left.length === 0)) this.#outbox.remember(note, null, name)
        if (note.startsWith(TOLD) && isTold(value)) this.#restore(value, name === own)
      }
    }
    const [first] = entries
    // The name stands in the strip at once, the rest when the server has answered.
    if (first?.task.kind === 'reopen') {
      const { uid, name, since } = first.task
      this.#putOpen({ uid, name, since, reader: null })
    }
    return entries
  }

  #restore(told: Told, isOwn: boolean): void {
    const one: Told = { ...told, isRestored: true }
    if (isOwn) this.#stored.set(one.id, one)
    this.#state = { ...this.#state, told: [...this.#state.told, one] }
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

  /** Scans that wait for the connection are for the person who is open. */
  readonly #onSilence = (): void => {
    if (this.#state.waiting.length === 0) this.close()
    else this.#silence = setTimeout(this.#onSilence, SILENCE_MS)
  }

  #setHeld(held: readonly string[]): void {
    this.#outbox.remember(HELD, held.length > 0 ? held : null)
    this.#set({ held })
  }

  #tell(one: Told): void {
    this.#put(one)
    this.#set({})
  }

  #put(one: Told): void {
    const told = [one, ...this.#state.told]
    const isKept = (entry: Told, index: number) => index < KEPT || isUnsettled(entry, this.#state.acts)
    this.#state = { ...this.#state, told: told.filter(isKept), bounced: null }
    this.#around.onTold(one)
  }

  #set(changes: Partial<DeskState>): void {
    const { waiting, unknown, line, newer } = this.#outbox.state
    const now = this.#actsNow()
    // The same map while nothing was pressed: what is drawn from it stays as it is.
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

  /** What is unsettled outlives a reload (R-SEAM-6). */
  #storeUnsettled(): void {
    const { told, acts } = this.#state
    const open = new Map(told.filter((one) => isUnsettled(one, acts)).map((one) => [one.id, one]))
    for (const [id, one] of open) {
      if (this.#stored.get(id) !== one) this.#outbox.remember(TOLD + id, one)
    }
    for (const id of this.#stored.keys()) if (!open.has(id)) this.#outbox.remember(TOLD + id, null)
    this.#stored.clear()
    for (const [id, one] of open) this.#stored.set(id, one)
  }
}

const isSame = (a: Acts, b: Acts): boolean => a.size === b.size && [...a].every(([act, state]) => b.get(act) === state)

const rounded = (amount: number): number => Math.round(amount * 100) / 100

const withOpen = (told: readonly Told[], openOf: (charge: Charge) => number | undefined): readonly Told[] =>
  told.map((one) => {
    const { outcome } = one
    if (outcome.kind !== 'answered' || !outcome.answer.charge) return one
    const open = openOf(outcome.answer.charge)
    if (open === undefined) return one
    return {
      ...one,
      outcome: { ...outcome, answer: { ...outcome.answer, charge: { ...outcome.answer.charge, open } } },
    }
  })

/** The entries after so much was paid for these charges, in their order. */
function lowered(told: readonly Told[], { charges }: Fines, amount: number): readonly Told[] {
  let left = amount
  const open = new Map<number, number>()
  for (const charge of charges) {
    const part = Math.min(left, charge.open)
    left = rounded(left - part)
    open.set(charge.id, rounded(charge.open - part))
  }
  return withOpen(told, ({ id }) => open.get(id))
}

const restored = (told: readonly Told[], { charges }: Fines): readonly Told[] =>
  withOpen(told, ({ id }) => charges.find((charge) => charge.id === id)?.open)

function isOpen(value: unknown): value is { uid: number; name: string; since: string } {
  if (typeof value !== 'object' || value === null) return false
  const { uid, name, since } = value as Record<string, unknown>
  return typeof uid === 'number' && typeof name === 'string' && typeof since === 'string'
}
