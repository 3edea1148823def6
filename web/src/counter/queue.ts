import { newKey } from '../api/action'
import { isSignedOut } from '../api/client'
import type { DeskAnswer, DeskReader, PhoneScan, Receipt, Scan } from '../api/types'
import { messageOf, ProblemError } from '../lib/problem'

/** What is asked of the server; who is open is added when it is sent. */
export type Request = Pick<Scan, 'code' | 'choice' | 'override' | 'intent' | 'returnedOn' | 'damaged' | 'phoneScan'>

/** What came of something else than a scan: a payment, a waiver, something undone. */
export type Settled = { words: readonly string[]; receipt?: Receipt; change?: number | null; undid?: number }

/** Does something else than a scan in its turn. */
export type OnSettle = (label: string, send: (key: string) => Promise<Settled>) => void

/** What the librarian does, which is on its way or waits for what came before. */
export type Waiting = {
  /** Its idempotency key: however often it is sent, it is done once. */
  key: string
  /** What the list of those that wait says. */
  label: string
  task:
    | { kind: 'scan'; request: Request }
    | { kind: 'other'; send: (key: string) => Promise<Settled> }
    /** The person closes when what was scanned before is done. */
    | { kind: 'close' }
    /** After the page was loaded anew: the person for whom scans wait is open again. */
    | { kind: 'reopen'; uid: number; since: string }
}

/** What every copy that is scanned is meant for, until the librarian ends it. */
export type Mode =
  | { kind: 'renew' }
  /** Returns out of the book drop count as of this day (R-DESK-11). */
  | { kind: 'drop'; day: string }

/** What outlives a reload of the page: scans that were not answered, and for whom they are. */
export type Kept = {
  scans: readonly { key: string; label: string; request: Request }[]
  /** Nobody, or one. */
  open: readonly { uid: number; name: string; since: string }[]
}

/** Where it is kept. */
type Memory = { read: () => Kept | null; write: (kept: Kept) => void; remove: () => void }

/** What became of it, as the screen keeps it. */
export type Told = {
  id: string
  label: string
  outcome:
    | { kind: 'answered'; request: Request; answer: DeskAnswer }
    | { kind: 'settled'; settled: Settled }
    | { kind: 'failed'; reason: string }
    | { kind: 'bounced' }
}

export type DeskState = {
  /** The person who is open, and since when. */
  open: { reader: DeskReader; since: string } | null
  /** Newest first. */
  told: readonly Told[]
  /** In the order in which they came. */
  waiting: readonly Waiting[]
  /** Whether the server did not answer the last time. */
  cut: boolean
  /** Whether the librarian must sign in before anything more is sent. */
  signedOut: boolean
  mode: Mode | null
  /** Changes that were taken back here. */
  undone: ReadonlySet<number>
}

/** The same code again within this time is the scanner's trigger that bounced (Law 7). */
const BOUNCE_MS = 3000
/** After so long without a scan the person closes, so that nothing is lent to whoever left (R-DESK-3). */
const SILENCE_MS = 60_000
const RETRY_MS = 2000
/** Earlier answers that stay on the screen; the activity has them all. */
const KEPT = 50

/** What a task changes once it is done; nobody is open with `null`. */
type Done = { open?: DeskState['open']; outcome?: Told['outcome'] }

type Send = (scan: Scan, key: string) => Promise<DeskAnswer>

type Around = {
  memory?: Memory
  /** Whether this desk's librarian is signed in: what waits is never sent in another person's name. */
  isOwners?: () => boolean
  /** Called when the server refused a task because the session has ended. */
  onSignedOut?: () => void
}

/** Nobody knows whether it was done: the server could not be reached, or could not say. */
const isCut = (error: unknown): boolean => !(error instanceof ProblemError) || error.status === 0 || error.status >= 500

/**
 * The desk's memory: what the librarian does is sent one after the other, each done once however often it has to be sent,
 * and the person who is open is whom the server's last answer names.
 */
export class Desk {
  #state: DeskState = {
    open: null,
    told: [],
    waiting: [],
    cut: false,
    signedOut: false,
    mode: null,
    undone: new Set(),
  }
  readonly #listeners = new Set<() => void>()
  readonly #send: Send
  readonly #onTold: (told: Told) => void
  readonly #around: Around
  #running = false
  #silence: ReturnType<typeof setTimeout> | undefined
  #last = { code: '', at: -Infinity }
  /** The keys of the phones' scans: one that is told again after a lost connection is known. */
  readonly #heard = new Set<string>()

  constructor(send: Send, onTold: (told: Told) => void, around: Around = {}) {
    this.#send = send
    this.#onTold = onTold
    this.#around = around
  }

  /** Sends what waited when the page was reloaded or the session ended (R-DESK-10). */
  readonly resume = (): void => {
    if (this.#state.waiting.length > 0) {
      this.#set({ signedOut: false })
      void this.#drain()
      return
    }
    const kept = this.#around.memory?.read()
    if (!kept) return
    for (const { uid, name, since } of kept.open) this.#enqueue(name, { kind: 'reopen', uid, since })
    for (const { key, label, request } of kept.scans) this.#enqueue(label, { kind: 'scan', request }, key)
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  readonly snapshot = (): DeskState => this.#state

  /** Takes a code from the scanner or the keyboard. */
  readonly scan = (code: string): void => {
    const folded = code.toLowerCase()
    const at = performance.now()
    const bounced = folded === this.#last.code && at - this.#last.at < BOUNCE_MS
    this.#last = { code: folded, at }
    if (bounced) this.#tell({ id: newKey(), label: code, outcome: { kind: 'bounced' } })
    else this.send(this.#requestOf(code))
  }

  /** Takes a code from a phone, which knows a trigger that bounces by itself; the server tells the phone the answer too. */
  readonly hear = ({ id, key, code }: PhoneScan): void => {
    if (this.#heard.has(key)) return
    this.#heard.add(key)
    this.#enqueue(code, { kind: 'scan', request: { ...this.#requestOf(code), phoneScan: id } }, key)
  }

  /** Sends a scan when what came before is answered. */
  readonly send = (request: Request): void => this.#enqueue(request.code, { kind: 'scan', request })

  /** Does something else in its turn: takes money, waives, undoes. */
  readonly settle: OnSettle = (label, send) => this.#enqueue(label, { kind: 'other', send })

  #requestOf(code: string): Request {
    const { mode } = this.#state
    if (mode?.kind === 'drop') return { code, intent: 'return', returnedOn: mode.day }
    return { code, ...(mode && { intent: 'renew' }) }
  }

  /** Closes the person, once what was scanned for the person is done. */
  readonly close = (): void => {
    this.#last = { code: '', at: -Infinity }
    if (this.#state.waiting.length > 0) this.#enqueue('', { kind: 'close' })
    else this.#open(null)
  }

  /** Reads again what the person has and owes. */
  readonly refresh = (): void => {
    const { open } = this.#state
    if (open) this.#enqueue(open.reader.name, { kind: 'reopen', uid: open.reader.uid, since: open.since })
  }

  /** What is scanned means something else from now on, the same code too. Nobody stands at a book drop. */
  readonly setMode = (mode: Mode | null): void => {
    if (mode?.kind === 'drop' && this.#state.open) this.close()
    this.#last = { code: '', at: -Infinity }
    this.#set({ mode })
  }

  #enqueue(label: string, task: Waiting['task'], key = newKey()): void {
    this.#set({ waiting: [...this.#state.waiting, { key, label, task }] })
    void this.#drain()
  }

  async #drain(): Promise<void> {
    const [next] = this.#state.waiting
    if (this.#running || this.#state.signedOut || !next) return
    if (this.#around.isOwners?.() === false) return this.#set({ signedOut: true })
    this.#running = true
    const done = await this.#do(next)
    if (done === 'signed-out') this.#hold()
    else if (done) this.#finish(next, done)
    else {
      this.#set({ cut: true })
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
    }
    this.#running = false
    return this.#drain()
  }

  /** Keeps everything that waits, under its keys, until the same librarian has signed in. */
  #hold(): void {
    this.#set({ signedOut: true, cut: false })
    this.#around.onSignedOut?.()
  }

  /** What came of it, or nothing where it has to be sent again. */
  async #do({ key, label, task }: Waiting): Promise<Done | 'signed-out' | null> {
    try {
      switch (task.kind) {
        case 'close':
          return { open: null }
        case 'reopen':
          return { open: await this.#reopened(label, task.uid, task.since) }
        case 'scan':
          return await this.#scanned(key, task.request)
        case 'other':
          return await this.#settled(key, task.send)
      }
    } catch (error) {
      if (isSignedOut(error)) return 'signed-out'
      if (isCut(error)) return null
      // This page was loaded anew while the scan was on its way: it is done, and the phone has its answer.
      const isPhones = task.kind === 'scan' && task.request.phoneScan
      if (isPhones && error instanceof ProblemError && error.code === 'idempotency-key-reused') return {}
      return { outcome: { kind: 'failed', reason: messageOf(error) } }
    }
  }

  async #scanned(key: string, request: Request): Promise<Done> {
    const { open } = this.#state
    const answer = await this.#send({ ...request, ...(open && { person: open.reader.uid, since: open.since }) }, key)
    const since = answer.outcome === 'person' || !open ? answer.at : open.since
    return {
      open: answer.person && { reader: answer.person, since },
      outcome: { kind: 'answered', request, answer },
    }
  }

  async #settled(key: string, send: (key: string) => Promise<Settled>): Promise<Done> {
    const settled = await send(key)
    if (settled.undid !== undefined) this.#set({ undone: new Set([...this.#state.undone, settled.undid]) })
    const { open } = this.#state
    return {
      // What the person has and owes may be another by now.
      ...(open && { open: await this.#reopened(open.reader.name, open.reader.uid, open.since) }),
      outcome: { kind: 'settled', settled },
    }
  }

  async #reopened(name: string, uid: number, since: string): Promise<DeskState['open']> {
    const { person } = await this.#send({ code: name, choice: `person:${uid}` }, newKey())
    return person && { reader: person, since }
  }

  /** In one change, so that the screen is drawn once for an answer. */
  #finish({ key, label }: Waiting, { open, outcome }: Done): void {
    const one = outcome && { id: key, label, outcome }
    if (open !== undefined) this.#watchSilence(open)
    this.#set({
      waiting: this.#state.waiting.slice(1),
      cut: false,
      ...(open !== undefined && { open }),
      ...(one && { told: this.#with(one) }),
    })
    if (one) this.#onTold(one)
  }

  #open(open: DeskState['open']): void {
    this.#watchSilence(open)
    this.#set({ open })
  }

  #watchSilence(open: DeskState['open']): void {
    clearTimeout(this.#silence)
    if (open) this.#silence = setTimeout(this.#onSilence, SILENCE_MS)
  }

  /** Scans that wait for the connection are for the person who is open. */
  readonly #onSilence = (): void => {
    if (this.#state.waiting.length === 0) this.close()
    else this.#silence = setTimeout(this.#onSilence, SILENCE_MS)
  }

  #tell(one: Told): void {
    this.#set({ told: this.#with(one) })
    this.#onTold(one)
  }

  readonly #with = (one: Told): readonly Told[] => [one, ...this.#state.told].slice(0, KEPT)

  #set(changes: Partial<DeskState>): void {
    this.#state = { ...this.#state, ...changes }
    if (changes.waiting || changes.open !== undefined) this.#remember()
    for (const listener of this.#listeners) listener()
  }

  #remember(): void {
    const { open, waiting } = this.#state
    const scans = waiting.flatMap(({ key, label, task }) =>
      task.kind === 'scan' ? [{ key, label, request: task.request }] : [],
    )
    if (scans.length === 0) this.#around.memory?.remove()
    else {
      const person = open && { uid: open.reader.uid, name: open.reader.name, since: open.since }
      this.#around.memory?.write({ scans, open: person ? [person] : [] })
    }
  }
}
