import type { Copy, CopyState } from '../api/types'
import { newKey } from '../lib/newKey'
import { Outbox, type Ending, type Entry, type OutboxState } from '../lib/outbox'
import type { Store } from '../lib/outboxStore'

/** Scanned barcode of a copy to put on the shelf; `found` is the other state from which the copy may come, such as `missing`. */
export type ShelfTask = { kind: 'shelve'; code: string; found?: CopyState }

/**
 * Result of a scanned barcode. `before` is null if no copy has it; `after` is null if the copy cannot
 * go to the shelf.
 */
export type Shelving = { before: Copy | null; after: Copy | null }

export type ShelfResult = { id: string; code: string } & (
  | { kind: 'done'; shelving: Shelving }
  | { kind: 'failed'; error: unknown }
)

export type ShelfState = OutboxState<ShelfTask> & {
  /** Last ten results, newest first. */
  shelved: readonly ShelfResult[]
  bounced: { code: string; at: number } | null
}

type ShelfOptions = {
  owner: string
  store: Store
  find: (barcode: string, signal: AbortSignal) => Promise<Copy | null>
  shelve: (copy: number, key: string, signal: AbortSignal) => Promise<Copy>
  onShelved: (one: ShelfResult) => void
  onUnknown: () => void
  isOwners: () => boolean
}

const KEPT = 10
const TRY_MS = 5000
/** Time within which a repeated code counts as a bounce of the scanner's trigger (Law 7). */
const BOUNCE_MS = 3000

const isTask = (task: unknown): task is ShelfTask =>
  typeof task === 'object' && task !== null && 'kind' in task && task.kind === 'shelve'

/** Puts scanned copies on the shelf, one after the other: a reducer over the outbox. */
export class Shelf {
  readonly #outbox: Outbox<ShelfTask, Shelving>
  readonly #options: ShelfOptions
  readonly #listeners = new Set<() => void>()
  #shelved: readonly ShelfResult[] = []
  #bounced: ShelfState['bounced'] = null
  #last = { code: '', at: -Infinity }
  #state: ShelfState

  constructor(options: ShelfOptions) {
    this.#options = options
    this.#outbox = new Outbox<ShelfTask, Shelving>({
      box: 'to-shelve',
      owner: options.owner,
      store: options.store,
      tryMs: TRY_MS,
      knows: isTask,
      perform: this.#perform,
      onEnd: this.#end,
      onUnknown: options.onUnknown,
      isOwners: options.isOwners,
      onChange: () => this.#publish(),
    })
    this.#state = { ...this.#outbox.state, shelved: [], bounced: null }
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  readonly snapshot = (): ShelfState => this.#state

  readonly resume = (): Promise<void> => this.#outbox.resume()

  readonly scan = (code: string, found?: CopyState): void => {
    const folded = code.toLowerCase()
    const at = performance.now()
    const isBounce = folded === this.#last.code && at - this.#last.at < BOUNCE_MS
    this.#last = { code: folded, at }
    if (!isBounce) {
      this.#outbox.add(code, { kind: 'shelve', code, ...(found && { found }) })
      return
    }
    this.#bounced = { code, at }
    this.#publish()
  }

  readonly tryAgain = (key: string): void => this.#outbox.tryAgain(key)

  readonly setAside = (key: string): void => void this.#outbox.setAside(key)

  readonly #perform = async (
    { key, task, sent }: Entry<ShelfTask>,
    { signal, freeze }: { signal: AbortSignal; freeze: <B>(body: B) => B },
  ): Promise<Shelving> => {
    // A retry moves the copy found by the first try; a new look-up would find it on the shelf.
    const before = sent === undefined ? await this.#options.find(task.code, signal) : (sent as Copy)
    if (!before) return { before: null, after: null }
    if (sent === undefined && before.state !== 'to-shelve' && before.state !== task.found) {
      return { before, after: before.state === 'on-shelf' ? before : null }
    }
    freeze(before)
    return { before, after: await this.#options.shelve(before.id, key, signal) }
  }

  readonly #end = ({ task: { code } }: Entry<ShelfTask>, ending: Ending<Shelving>): void => {
    const what =
      ending.kind === 'done'
        ? ({ kind: 'done', shelving: ending.result } as const)
        : ({ kind: 'failed', error: ending.error } as const)
    const one: ShelfResult = { id: newKey(), code, ...what }
    this.#shelved = [one, ...this.#shelved].slice(0, KEPT)
    this.#bounced = null
    this.#options.onShelved(one)
  }

  #publish(): void {
    this.#state = { ...this.#outbox.state, shelved: this.#shelved, bounced: this.#bounced }
    for (const listener of this.#listeners) listener()
  }
}
