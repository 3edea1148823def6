import { newKey } from './newKey'
import { isHandingOver } from './person'
import { ProblemError, timedOut, unreachable } from './problem'
import { claimLanes, ownLane, type Entry, type Lane, type Row, type Store, type Write } from './outboxStore'

export type { Entry } from './outboxStore'

/**
 * `slow`: the first task has waited longer than `SLOW_MS`. `offline`: the server cannot be reached. `signed-out`: the
 * session of the queue's person has ended.
 */
export type LineState = 'clear' | 'slow' | 'offline' | 'signed-out'

export type OutboxState<T> = {
  /** Tasks in order; the first one is under way. */
  waiting: readonly Entry<T>[]
  /** Tasks that failed with 5xx three times, so their outcome is unknown. */
  unknown: readonly Entry<T>[]
  line: LineState
  /** Number of stored tasks written by a newer version of this page. */
  newer: number
}

export type Ending<R> =
  | { kind: 'done'; result: R }
  | { kind: 'refused'; error: ProblemError }
  /** Error in our own code; retrying is useless. */
  | { kind: 'fault'; error: unknown }

type Options<T, R> = {
  /** Name of the queue: `desk`, `to-shelve`, `phone`. */
  box: string
  /** Person whose tasks these are; they are sent only while that person is signed in. */
  owner: string
  store: Store
  /** Sends a task once. `freeze` stores the request of the first try; later tries get the stored request back. */
  perform: (entry: Entry<T>, call: { signal: AbortSignal; freeze: <B>(body: B) => B }) => Promise<R>
  /** Applies the outcome of a task; listeners are called afterwards. */
  onEnd: (entry: Entry<T>, ending: Ending<R>) => void
  /** Returns true if the value is a task known to this version. */
  knows: (task: unknown) => task is T
  /** Builds the queue from the stored lanes. */
  onLoad?: (lanes: readonly Lane<T>[], own: string) => readonly Entry<T>[]
  /** Returns true if a refusal stops the queue; by default only the end of the session does. */
  stops?: (error: ProblemError) => boolean
  /** Returns true if the queue's person is signed in. */
  isOwners?: () => boolean
  onSignedOut?: () => void
  onUnknown?: (entry: Entry<T>) => void
  onChange: () => void
  /** Time-out of the first try, milliseconds; doubled for each further try, up to `LONGEST_TRY_MS`. */
  tryMs?: number
}

const SLOW_MS = 300
const LONGEST_TRY_MS = 30_000
const RETRY_MS = 2000
/** Pauses before the second and third try after a 5xx, milliseconds. */
const AFTER_FAILURE_MS = [1000, 2000]
/**
 * Time during which a task may be repeated, milliseconds. The server keeps responses for 48 hours; a later repeat could
 * act twice.
 */
const REPEATABLE_MS = 47 * 60 * 60_000

/**
 * Persisted queue with one runner. A task is sent after the previous one is settled, and retried under its key until
 * the server answers. The write to the store and the request begin in the same tick; the request does not wait for the
 * write.
 */
export class Outbox<T, R> {
  #state: OutboxState<T> = { waiting: [], unknown: [], line: 'clear', newer: 0 }
  readonly #options: Options<T, R>
  #lane: string
  #loading: Promise<void> | null = null
  #isLoaded = false
  #isRunning = false
  #last = 0
  #tries = 0
  #failures = 0
  #slowTimer: ReturnType<typeof setTimeout> | undefined
  #wake: (() => void) | null = null
  /** Writes of this tick by row; a later write replaces an earlier one. */
  #writes: Map<string, Write> | null = null

  constructor(options: Options<T, R>) {
    this.#options = options
    this.#lane = ownLane(options.box, options.owner)
    addEventListener('online', () => this.#wake?.())
    addEventListener('beforeunload', (event) => {
      if (this.#isUnsent() && !isHandingOver()) event.preventDefault()
    })
  }

  get state(): OutboxState<T> {
    return this.#state
  }

  /** False until the tasks of earlier pages are loaded. */
  get isLoaded(): boolean {
    return this.#isLoaded
  }

  /** Loads the tasks of earlier pages, once, and resumes sending. */
  readonly resume = (): Promise<void> => {
    if (this.#state.line === 'signed-out') this.#set({ line: 'clear' })
    this.#loading ??= this.#load()
    void this.#drain()
    return this.#loading
  }

  /** Appends and stores a task, which is sent in order. Returns its key. */
  readonly add = (label: string, task: T, { key = newKey(), isVolatile = false } = {}): string => {
    // Times are unique, because they order the tasks in the store.
    this.#last = Math.max(this.#last + 1, Date.now())
    const entry: Entry<T> = { key, at: this.#last, label, task, lane: this.#lane, ...(isVolatile && { isVolatile }) }
    this.#store(entry)
    this.#set({ waiting: [...this.#state.waiting, entry] })
    void this.#drain()
    return key
  }

  /** Retries a task whose outcome is unknown. */
  readonly tryAgain = (key: string): void => {
    const entry = this.#state.unknown.find((one) => one.key === key)
    if (!entry) return
    const again: Entry<T> = { ...entry, late: true }
    this.#store(again)
    this.#set({
      unknown: this.#state.unknown.filter((one) => one !== entry),
      waiting: [...this.#state.waiting, again],
    })
    void this.#drain()
  }

  /** Gives up a task whose outcome is unknown. */
  readonly setAside = (key: string): Entry<T> | null => {
    const entry = this.#state.unknown.find((one) => one.key === key)
    if (!entry) return null
    this.#forget(entry)
    this.#set({ unknown: this.#state.unknown.filter((one) => one !== entry) })
    return entry
  }

  /** Stores a note beside the tasks of a lane; null removes it. */
  readonly remember = (name: string, value: unknown, lane = this.#lane): void => {
    const id: Row['id'] = [this.#options.box, this.#options.owner, lane, 'note', name]
    this.#write(id, value === null ? null : { id, order: Date.now(), value })
  }

  /** True if leaving the page would remove an unsent task from the screen. */
  #isUnsent(): boolean {
    const { waiting, line } = this.#state
    return line !== 'signed-out' && waiting.some(({ isVolatile }) => !isVolatile)
  }

  async #load(): Promise<void> {
    const { box, owner, store, knows, onLoad } = this.#options
    const before = this.#lane
    const { own, lanes } = await claimLanes<T>(store, box, owner, knows)
    this.#lane = own
    const now = Date.now()
    const isStale = ({ sentAt }: Entry<T>) => sentAt !== undefined && now - sentAt > REPEATABLE_MS
    const found = lanes.map(({ name, notes, newer, entries, unknown }): Lane<T> => ({
      name,
      notes,
      newer,
      entries: entries.filter((entry) => !isStale(entry)),
      unknown: [...unknown, ...entries.filter(isStale)],
    }))
    const left = onLoad ? onLoad(found, own) : found.flatMap(({ entries }) => entries)
    const isOne = found.every(({ name, entries, unknown }) => name === own || entries.length + unknown.length === 0)
    const waiting = isOne ? left : left.map((entry) => this.#moved(entry, own))
    const unknown = found.flatMap((lane) => lane.unknown).map((entry) => this.#moved(entry, own, true))
    const isFresh = new Set(this.#state.waiting.map(({ key }) => key))
    // If another page holds this lane, tasks added meanwhile move to the new lane.
    const fresh = this.#state.waiting.map((entry) => (before === own && isOne ? entry : this.#moved(entry, own)))
    this.#isLoaded = true
    this.#set({
      waiting: [...waiting.filter(({ key }) => !isFresh.has(key)), ...fresh],
      unknown: [...unknown, ...this.#state.unknown],
      newer: found.reduce((sum, { newer }) => sum + newer, 0),
    })
    void this.#drain()
  }

  /** Moves a task to the end of this page's lane. */
  #moved(entry: Entry<T>, lane: string, isUnknown = false): Entry<T> {
    this.#forget(entry)
    this.#last = Math.max(this.#last + 1, Date.now())
    const { isVolatile: _, ...kept } = entry
    const moved: Entry<T> = { ...kept, lane, at: this.#last }
    this.#store(moved, isUnknown)
    return moved
  }

  async #drain(): Promise<void> {
    const [next] = this.#state.waiting
    if (this.#isRunning || !this.#isLoaded || this.#state.line === 'signed-out' || !next) return
    if (this.#options.isOwners?.() === false) return this.#set({ line: 'signed-out' })
    this.#isRunning = true
    const pause = await this.#try(next)
    if (pause > 0) await this.#pause(pause)
    this.#isRunning = false
    return this.#drain()
  }

  /** Sends a task once; returns the pause before the next task or try, milliseconds. */
  async #try(entry: Entry<T>): Promise<number> {
    let ending: Ending<R>
    try {
      ending = { kind: 'done', result: await this.#perform(entry) }
    } catch (error) {
      // A time-out rejects before it aborts the call, so an abort here means that the browser leaves the page. If the
      // page stays, the task is sent again.
      if (error instanceof DOMException && error.name === 'AbortError') return this.#lost(unreachable())
      if (!(error instanceof ProblemError)) ending = { kind: 'fault', error }
      else if (this.#stops(error)) return this.#hold()
      else if (error.status === 429) return (error.retryAfter ?? 1) * 1000
      else if (error.status === 0) return this.#lost(error)
      else if (error.status >= 500) return this.#failed(entry, error)
      else ending = { kind: 'refused', error }
    }
    if (ending.kind === 'fault') console.error('A task of the queue failed', ending.error)
    this.#end(entry, ending)
    return 0
  }

  async #perform(entry: Entry<T>): Promise<R> {
    const abort = new AbortController()
    const patience = Math.min((this.#options.tryMs ?? LONGEST_TRY_MS) * 2 ** this.#tries, LONGEST_TRY_MS)
    const freeze = <B>(body: B): B => {
      const current = this.#state.waiting.find(({ key }) => key === entry.key) ?? entry
      if (current.sent !== undefined) return current.sent as B
      const frozen = { ...current, sent: body, sentAt: Date.now() }
      this.#store(frozen)
      // Listeners are not called, because the screen does not show this change.
      this.#state = {
        ...this.#state,
        waiting: this.#state.waiting.map((one) => (one.key === entry.key ? frozen : one)),
      }
      return body
    }
    let timer: ReturnType<typeof setTimeout> | undefined
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => {
        reject(timedOut())
        abort.abort()
      }, patience)
    })
    try {
      return await Promise.race([this.#options.perform(entry, { signal: abort.signal, freeze }), late])
    } finally {
      clearTimeout(timer)
    }
  }

  readonly #stops = (error: ProblemError): boolean => this.#options.stops?.(error) ?? error.code === 'not-signed-in'

  #lost({ code }: ProblemError): number {
    this.#tries += 1
    this.#set({ line: 'offline' })
    return code === 'timed-out' ? 0 : RETRY_MS
  }

  #failed(entry: Entry<T>, error: ProblemError): number {
    const wait = AFTER_FAILURE_MS[this.#failures]
    this.#failures += 1
    if (this.#state.line === 'offline') this.#set({ line: 'slow' })
    if (wait !== undefined) return Math.max(wait, (error.retryAfter ?? 0) * 1000)
    const parked = this.#current(entry)
    this.#begin()
    // A task that only reads is dropped.
    if (parked.isVolatile) {
      this.#set(this.#without(entry))
      return 0
    }
    this.#store(parked, true)
    this.#set({ ...this.#without(entry), unknown: [...this.#state.unknown, parked] })
    this.#options.onUnknown?.(parked)
    return 0
  }

  readonly #current = (entry: Entry<T>): Entry<T> => this.#state.waiting.find(({ key }) => key === entry.key) ?? entry

  /** Returns the queue without a task. The line is clear, unless the next task has waited for `SLOW_MS` already. */
  #without({ key }: Entry<T>): Pick<OutboxState<T>, 'waiting' | 'line'> {
    const waiting = this.#state.waiting.filter((one) => one.key !== key)
    return { waiting, line: waiting[0] && Date.now() - waiting[0].at >= SLOW_MS ? 'slow' : 'clear' }
  }

  /** Ends a task in one state change, so that the screen renders once per answer. */
  #end(entry: Entry<T>, ending: Ending<R>): void {
    const current = this.#current(entry)
    this.#begin()
    this.#state = { ...this.#state, ...this.#without(entry) }
    this.#options.onEnd(current, ending)
    // Removed last: if the page ends before, the task is repeated under the same key.
    this.#forget(current)
    this.#set({})
  }

  /** Resets tries and timer for the next task. */
  #begin(): void {
    this.#tries = 0
    this.#failures = 0
    clearTimeout(this.#slowTimer)
    this.#slowTimer = undefined
  }

  /** Holds all tasks with their keys until the same person has signed in. */
  #hold(): number {
    this.#begin()
    this.#set({ line: 'signed-out' })
    this.#options.onSignedOut?.()
    return 0
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms)
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  #set(changes: Partial<OutboxState<T>>): void {
    this.#state = { ...this.#state, ...changes }
    const [first] = this.#state.waiting
    if (first && this.#state.line === 'clear') {
      this.#slowTimer ??= setTimeout(
        () => {
          if (this.#state.line === 'clear' && this.#state.waiting.length > 0) this.#set({ line: 'slow' })
        },
        Math.max(0, first.at + SLOW_MS - Date.now()),
      )
    }
    this.#options.onChange()
  }

  #idOf({ lane, key }: Entry<T>): Row['id'] {
    return [this.#options.box, this.#options.owner, lane, 'task', key]
  }

  #store(entry: Entry<T>, isUnknown = false): void {
    if (entry.isVolatile) return
    const id = this.#idOf(entry)
    this.#write(id, { id, order: entry.at, value: { ...entry, isUnknown } })
  }

  readonly #forget = (entry: Entry<T>): void => this.#write(this.#idOf(entry), null)

  /** Collects the writes of one tick into one transaction. */
  #write(id: Row['id'], row: Row | null): void {
    if (!this.#writes) {
      const writes = new Map<string, Write>()
      this.#writes = writes
      queueMicrotask(() => {
        this.#writes = null
        this.#options.store.write([...writes.values()])
      })
    }
    this.#writes.set(id.join(' '), { id, row })
  }
}
