import type { Charge, DeskAnswer, Method, Receipt, Scan } from '../api/types'

/** What is asked of the server; who is open is added when it is sent. */
export type Request = Pick<Scan, 'code' | 'choice' | 'override' | 'intent' | 'returnedOn' | 'damaged' | 'phoneScan'>

/** Charges of one reader with their unpaid parts. */
export type Fines = { uid: number; charges: readonly Pick<Charge, 'id' | 'open'>[] }

/** What the librarian does, as data: it outlives the page. */
export type Task =
  /** `card` names the answer that offered it. */
  | { kind: 'scan'; request: Request; card?: string }
  | { kind: 'pay'; fines: Fines; amount: number; method: Method }
  | { kind: 'waive'; fines: Fines; reason: string }
  | { kind: 'undo'; change: number }
  /** The person closes when what was scanned before is done. */
  | { kind: 'close' }
  /** Reads what the person has and owes; after a reload the person is open again. */
  | { kind: 'reopen'; uid: number; name: string; since: string }

const KINDS: ReadonlySet<unknown> = new Set<Task['kind']>(['scan', 'pay', 'waive', 'undo', 'close', 'reopen'])

export const isTask = (task: unknown): task is Task =>
  typeof task === 'object' && task !== null && 'kind' in task && KINDS.has(task.kind)

/** What every copy that is scanned is meant for, until the librarian ends it. */
export type Mode =
  | { kind: 'renew' }
  /** Returns out of the book drop count as of this day (R-DESK-11). */
  | { kind: 'drop'; day: string }

/** An entry of the desk's record. */
export type Told = {
  id: string
  label: string
  outcome:
    | { kind: 'answered'; request: Request; answer: DeskAnswer }
    | { kind: 'settled'; task: Task; words: readonly string[]; receipt?: Receipt; change?: number | null }
    /** The server refused it. */
    | { kind: 'failed'; reason: string; task: Task }
    /** The librarian gave it up without knowing whether it was done. */
    | { kind: 'set-aside' }
  /** It was brought back after a reload, and is nothing new. */
  isRestored?: true
}

/** Entries of another version of the page may lack what this one shows. */
export function isTold(value: unknown): value is Told {
  if (typeof value !== 'object' || value === null) return false
  const { id, label, outcome } = value as Partial<Record<keyof Told, unknown>>
  if (typeof id !== 'string' || typeof label !== 'string' || typeof outcome !== 'object' || outcome === null)
    return false
  const { kind, answer, task } = outcome as Record<string, unknown>
  if (kind === 'failed') return isTask(task)
  return (
    kind === 'answered' && typeof answer === 'object' && answer !== null && 'messages' in answer && 'class' in answer
  )
}
