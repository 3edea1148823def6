import type { Over } from '../../api/phones'
import type { PhoneAnswer, PhoneScanForm } from '../../api/types'
import { newKey } from '../../lib/newKey'
import { ProblemError } from '../../lib/problem'

/** A code that was read, and waits until the desk has answered. */
export type Waiting = { key: string; code: string; sent: boolean }

export type PhoneState = {
  /** In the order in which they were read. */
  waiting: readonly Waiting[]
  /** What the desk answered last; the code is not known where the page was loaded anew meanwhile. */
  told: { key: string; code: string | null; answer: PhoneAnswer['answer'] } | null
  /** Why the server did not take a code. */
  failed: { code: string; reason: string } | null
  /** Whether the server did not answer the last time. */
  cut: boolean
  over: Over | null
}

const RETRY_MS = 2000

type Send = (scan: PhoneScanForm) => Promise<unknown>

/** The phone's memory: codes are sent one after the other, each done once however often it has to be sent. */
export class Phone {
  #state: PhoneState = { waiting: [], told: null, failed: null, cut: false, over: null }
  readonly #listeners = new Set<() => void>()
  readonly #send: Send
  readonly #onAnswer: (what: PhoneAnswer['answer']['class']) => void
  #running = false

  constructor(send: Send, onAnswer: (what: PhoneAnswer['answer']['class']) => void) {
    this.#send = send
    this.#onAnswer = onAnswer
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  readonly snapshot = (): PhoneState => this.#state

  readonly scan = (code: string): void => {
    this.#set({ waiting: [...this.#state.waiting, { key: newKey(), code, sent: false }], failed: null })
    void this.#drain()
  }

  readonly hear = ({ key, answer }: PhoneAnswer): void => {
    const code = this.#state.waiting.find((scan) => scan.key === key)?.code ?? null
    this.#set({ told: { key, code, answer }, failed: null })
    this.#forget(key)
    this.#onAnswer(answer.class)
  }

  readonly end = (over: Over | null): void => this.#set({ over })

  async #drain(): Promise<void> {
    const next = this.#state.waiting.find(({ sent }) => !sent)
    if (this.#running || !next || this.#state.over) return
    this.#running = true
    const wait = await this.#sendOne(next)
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
    this.#running = false
    return this.#drain()
  }

  /** How long to wait before the next one is sent; this one again, where it was not taken. */
  async #sendOne({ key, code }: Waiting): Promise<number> {
    try {
      await this.#send({ key, code })
    } catch (error) {
      if (!(error instanceof ProblemError) || error.status === 0 || error.status >= 500) {
        this.#set({ cut: true })
        return RETRY_MS
      }
      if (error.status === 429) return (error.retryAfter ?? 1) * 1000
      if (error.code === 'phone-ended') this.end('ended')
      else this.#refused(key, code, error.message)
      return 0
    }
    // The answer may have come before.
    const waiting = this.#state.waiting.map((scan) => (scan.key === key ? { ...scan, sent: true } : scan))
    this.#set({ cut: false, waiting })
    return 0
  }

  #refused(key: string, code: string, reason: string): void {
    this.#forget(key)
    this.#set({ failed: { code, reason } })
    this.#onAnswer('stop')
  }

  #forget(key: string): void {
    this.#set({ waiting: this.#state.waiting.filter((scan) => scan.key !== key) })
  }

  #set(changes: Partial<PhoneState>): void {
    this.#state = { ...this.#state, ...changes }
    for (const listener of this.#listeners) listener()
  }
}
