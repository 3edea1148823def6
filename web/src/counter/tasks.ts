import type { Charge, Closing, ClosingForm, DeskAnswer, LostLoan, Method, Receipt, Scan } from '../api/types'

/** Request to the server, without the open reader: the desk adds the reader when it sends the request. */
export type Request = Pick<Scan, 'code' | 'choice' | 'override' | 'intent' | 'returnedOn' | 'damaged' | 'phoneScan'>

/** Charges of one reader with their open amounts; `name` is the reader's. */
export type Fines = { uid: number; name?: string | null; charges: readonly Pick<Charge, 'id' | 'open'>[] }

/** Action of the librarian, as data that outlives the page. */
export type Task =
  /** `card`: id of the entry that offered the scan. */
  | { kind: 'scan'; request: Request; card?: string }
  /** Settles all charges, the oldest first, if `fines` names none. */
  | { kind: 'pay'; fines: Fines; amount: number; method: Method; reference?: string }
  /** Waives the open amount that `fines` names if `amount` is missing. */
  | { kind: 'waive'; fines: Fines; reason: string; amount?: number }
  /** Pays out credit of a reader. */
  | { kind: 'refund'; uid: number; name: string; amount: number; method: Method; reference: string }
  /** Charges a reader for damage or another cause. */
  | { kind: 'charge'; uid: number; name: string; amount: number; of: Charge['of']; reason: string }
  /** Declares the copy of a loan lost and charges its price. */
  | { kind: 'lost'; loan: { id: number; title: string; userId?: number; userName?: string }; price: number }
  /** Reverses the payment of a receipt. */
  | { kind: 'reverse-payment'; receipt: string; amount: number; reason: string }
  /** Reverses a charge. */
  | { kind: 'reverse-charge'; charge: number; amount: number; reason: string }
  /** Closes the till. */
  | { kind: 'closing'; form: ClosingForm }
  | { kind: 'undo'; change: number }
  /** Closes the reader after all earlier scans. */
  | { kind: 'close' }
  /** Opens the reader again after a page reload. */
  | { kind: 'reopen'; uid: number; name: string; since: string }
  /** Reloads the reader's loans and dues; does not open the reader. */
  | { kind: 'refresh'; uid: number; name: string }

const KINDS: ReadonlySet<unknown> = new Set<Task['kind']>([
  'scan',
  'pay',
  'waive',
  'refund',
  'charge',
  'lost',
  'reverse-payment',
  'reverse-charge',
  'closing',
  'undo',
  'close',
  'reopen',
  'refresh',
])

export const isTask = (task: unknown): task is Task =>
  typeof task === 'object' && task !== null && 'kind' in task && KINDS.has(task.kind)

/** Mode for every scanned copy, until the librarian ends it. */
export type Mode =
  | { kind: 'renew' }
  /** Day as of which book-drop returns count (R-DESK-11). */
  | { kind: 'drop'; day: string }

/** Result of a task that is no scan. */
export type Settled = {
  words: readonly string[]
  receipt?: Receipt
  lost?: LostLoan
  closing?: Closing
  /** Change id for Undo. */
  change?: number | null
}

/** Entry of the desk's log. */
export type LogEntry = {
  id: string
  label: string
  outcome:
    | { kind: 'answered'; request: Request; answer: DeskAnswer }
    | ({ kind: 'settled'; task: Task } & Settled)
    /** Refused by the server. */
    | { kind: 'failed'; reason: string; task: Task }
    /** Given up by the librarian with an unknown outcome. */
    | { kind: 'set-aside' }
  /** Restored after a reload, so not new. */
  isRestored?: true
  /** Ended while the desk was not on the screen, or a moment ago: stored until the librarian has seen it. */
  isUnseen?: true
}

/** Validates a stored entry: another version of the page may have written it. */
export function isLogEntry(value: unknown): value is LogEntry {
  if (typeof value !== 'object' || value === null) return false
  const { id, label, outcome } = value as Partial<Record<keyof LogEntry, unknown>>
  if (typeof id !== 'string' || typeof label !== 'string' || typeof outcome !== 'object' || outcome === null)
    return false
  const { kind, answer, task, words } = outcome as Record<string, unknown>
  if (kind === 'set-aside') return true
  if (kind === 'failed') return isTask(task)
  if (kind === 'settled') return isTask(task) && Array.isArray(words)
  return (
    kind === 'answered' && typeof answer === 'object' && answer !== null && 'messages' in answer && 'class' in answer
  )
}
