import type { Closed } from '../../api/phones'
import type { PhoneAnswer, PhoneScanForm } from '../../api/types'
import { Outbox, type Ending, type Entry, type OutboxState } from '../../lib/outbox'
import type { Lane, Store } from '../../lib/outboxStore'
import { messageOf } from '../../lib/problem'

type Task = { kind: 'scan'; code: string }

const isTask = (task: unknown): task is Task =>
  typeof task === 'object' && task !== null && 'kind' in task && task.kind === 'scan'

/** Scanned code that waits for the desk's answer. */
export type Waiting = { key: string; code: string; sent: boolean }

export type PhoneState = Pick<OutboxState<Task>, 'unknown'> & {
  /** Codes in the order of reading. */
  waiting: readonly Waiting[]
  /** The desk's last answer; `code` is null if an earlier page read the code. */
  lastAnswer: { key: string; code: string | null; answer: PhoneAnswer['answer'] } | null
  /** The last code that the server refused, with the reason. */
  failed: { code: string; reason: string } | null
  /** True if the last request got no answer from the server. */
  isOffline: boolean
  over: Closed | null
}

type PhoneOptions = {
  /** Name of the pairing, which keeps the codes of different desks apart. */
  owner: string
  store: Store
  send: (scan: PhoneScanForm, signal: AbortSignal) => Promise<unknown>
  onAnswer: (what: PhoneAnswer['answer']['class']) => void
}

const TRY_MS = 5000
const SENT = 'sent'

/** State of a phone's page, a reducer over the outbox. An accepted code waits for the desk's answer. */
export class Phone {
  readonly #options: PhoneOptions
  readonly #outbox: Outbox<Task, void>
  readonly #listeners = new Set<() => void>()
  /** Codes that the server has accepted. */
  #sent: readonly Waiting[] = []
  /** Keys answered by the desk before the server confirmed the code. */
  readonly #early = new Set<string>()
  #state: PhoneState = { waiting: [], unknown: [], lastAnswer: null, failed: null, isOffline: false, over: null }

  constructor(options: PhoneOptions) {
    this.#options = options
    this.#outbox = new Outbox<Task, void>({
      box: 'phone',
      owner: options.owner,
      store: options.store,
      tryMs: TRY_MS,
      knows: isTask,
      perform: async ({ key, task }, { signal, freeze }) => {
        await options.send(freeze({ key, code: task.code }), signal)
      },
      onLoad: this.#load,
      onEnd: this.#end,
      stops: ({ code }) => code === 'phone-ended',
      onSignedOut: () => this.#set({ over: 'ended' }),
      isOwners: () => this.#state.over === null,
      onUnknown: () => options.onAnswer('stop'),
      onChange: () => this.#set({}),
    })
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  readonly snapshot = (): PhoneState => this.#state

  /** Sends the codes that an earlier page scanned. */
  readonly resume = (): Promise<void> => this.#outbox.resume()

  readonly scan = (code: string): void => {
    this.#state = { ...this.#state, failed: null }
    this.#outbox.add(code, { kind: 'scan', code })
  }

  readonly hear = ({ key, answer }: PhoneAnswer): void => {
    const code = this.#state.waiting.find((scan) => scan.key === key)?.code ?? null
    if (this.#sent.some((scan) => scan.key === key)) this.#setSent(this.#sent.filter((scan) => scan.key !== key))
    else this.#early.add(key)
    this.#set({ lastAnswer: { key, code, answer }, failed: null })
    this.#options.onAnswer(answer.class)
  }

  /** Stops sending; null resumes. */
  readonly end = (over: Closed | null): void => {
    this.#set({ over })
    if (over === null) void this.#outbox.resume()
  }

  readonly tryAgain = (key: string): void => this.#outbox.tryAgain(key)

  readonly setAside = (key: string): void => void this.#outbox.setAside(key)

  readonly #load = (lanes: readonly Lane<Task>[], own: string): readonly Entry<Task>[] => {
    const sent = lanes.find(({ name }) => name === own)?.notes.get(SENT)
    if (Array.isArray(sent)) this.#sent = [...sent.filter(isWaiting), ...this.#sent]
    return lanes.flatMap(({ entries }) => entries)
  }

  readonly #end = ({ key, task: { code } }: Entry<Task>, ending: Ending<void>): void => {
    if (ending.kind !== 'done') {
      this.#state = { ...this.#state, failed: { code, reason: messageOf(ending.error) } }
      this.#options.onAnswer('stop')
    } else if (!this.#early.delete(key)) this.#setSent([...this.#sent, { key, code, sent: true }])
  }

  #setSent(sent: readonly Waiting[]): void {
    this.#sent = sent
    this.#outbox.remember(SENT, sent.length > 0 ? sent : null)
  }

  #set(changes: Partial<PhoneState>): void {
    const { waiting, unknown, line } = this.#outbox.state
    const unsent = waiting
      .filter(({ key }) => !this.#early.has(key))
      .map(({ key, task }) => ({ key, code: task.code, sent: false }))
    this.#state = {
      ...this.#state,
      ...changes,
      waiting: [...this.#sent, ...unsent],
      unknown,
      isOffline: line === 'offline',
    }
    for (const listener of this.#listeners) listener()
  }
}

function isWaiting(value: unknown): value is Waiting {
  if (typeof value !== 'object' || value === null) return false
  const { key, code } = value as Record<string, unknown>
  return typeof key === 'string' && typeof code === 'string'
}
