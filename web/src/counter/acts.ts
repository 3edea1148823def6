import type { Task, LogEntry } from './tasks'

/** Names of the buttons already pressed. */
export type Acts = ReadonlyMap<string, 'sent' | 'done'>

/** Returns the names of the task's effects. Tasks with a common name count as one press of a button. */
export function actsOf(task: Task): string[] {
  switch (task.kind) {
    case 'scan':
      return task.card === undefined ? [] : [`card ${task.card}`]
    case 'pay':
    case 'waive': {
      const { uid, charges } = task.fines
      return charges.length === 0 ? [`account ${uid}`] : charges.map(({ id }) => `fine ${id}`)
    }
    case 'refund':
    case 'charge':
      return [`${task.kind} ${task.uid}`]
    case 'lost':
      return [`lost ${task.loan.id}`]
    case 'reverse-payment':
      return [`reverse ${task.receipt}`]
    case 'reverse-charge':
      return [`reverse ${task.charge}`]
    case 'closing':
      return ['closing']
    case 'undo':
      return [`undo ${task.change}`]
    case 'close':
    case 'reopen':
    case 'refresh':
      return []
  }
}

/** Fine charged at the desk and not yet paid, waived or postponed. */
export type OpenFine = { entry: LogEntry; id: number; open: number; uid: number; name: string | null }

/** Returns the open fine of an entry. */
export function fineOf(entry: LogEntry, acts: Acts): OpenFine | null {
  const { outcome } = entry
  if (outcome.kind !== 'answered') return null
  const { charge, charged, change } = outcome.answer
  // At a book drop there is no reader to pay.
  if (!charge || charge.open <= 0 || outcome.request.returnedOn !== undefined || typeof charged !== 'number')
    return null
  if (acts.has(`aside ${entry.id}`) || acts.has(`fine ${charge.id}`) || isUndone(change, acts)) return null
  return { entry, id: charge.id, open: charge.open, uid: charged, name: nameIn(entry) }
}

/** Returns the open charges of a copy declared lost. */
export function chargesOfLost(entry: LogEntry, acts: Acts): OpenFine[] {
  const { outcome } = entry
  if (outcome.kind !== 'settled' || outcome.task.kind !== 'lost' || isUndone(outcome.change, acts)) return []
  const { userId, userName } = outcome.task.loan
  if (userId === undefined) return []
  return (outcome.lost?.charges ?? [])
    .filter(({ id, open }) => open > 0 && !acts.has(`fine ${id}`))
    .map(({ id, open }) => ({ entry, id, open, uid: userId, name: userName ?? null }))
}

/** Finds a reader's name in these entries. */
export function nameOf(uid: number, log: readonly LogEntry[]): string | null {
  for (const { outcome } of log) {
    if (outcome.kind !== 'answered') continue
    const { person } = outcome.answer
    if (person?.uid === uid) return person.name
  }
  return null
}

const isUndone = (change: number | null | undefined, acts: Acts): boolean =>
  typeof change === 'number' && acts.get(`undo ${change}`) === 'done'

/** Messages that name the reader of a fine. */
const NAMING: ReadonlySet<string> = new Set(['desk.returnedBy', 'desk.fineCharged'])

function nameIn({ outcome }: LogEntry): string | null {
  if (outcome.kind !== 'answered') return null
  const named = outcome.answer.messages.find(({ code }) => NAMING.has(code))?.params['name']
  return typeof named === 'string' ? named : null
}

/** True if an entry waits for the librarian: a fine, a slip, a question, or a failed task (R-SEAM-6). */
export function isUnsettled(entry: LogEntry, acts: Acts): boolean {
  if (acts.has(`aside ${entry.id}`)) return false
  const { outcome } = entry
  if (outcome.kind === 'failed' || outcome.kind === 'set-aside') return true
  if (outcome.kind !== 'answered' || isUndone(outcome.answer.change, acts)) return false
  const { answer } = outcome
  return fineOf(entry, acts) !== null || answer.hold?.state === 'ready' || isQuestion(entry, acts)
}

/** True if an entry offers choices and none has been taken. */
export const offersChoices = ({ id, outcome }: LogEntry, acts: Acts): boolean =>
  outcome.kind === 'answered' && outcome.answer.choices.length > 0 && !acts.has(`card ${id}`)

/** True if an entry asks an unanswered question. */
const isQuestion = (entry: LogEntry, acts: Acts): boolean =>
  entry.outcome.kind === 'answered' && entry.outcome.answer.outcome === 'ask' && offersChoices(entry, acts)

/** Returns readers with several open fines, which can be paid as one sum. */
export function sumsOf(
  log: readonly LogEntry[],
  acts: Acts,
): { uid: number; name: string | null; fines: OpenFine[] }[] {
  const byReader = new Map<number, OpenFine[]>()
  for (const fine of log.flatMap((one) => fineOf(one, acts) ?? [])) {
    byReader.set(fine.uid, [...(byReader.get(fine.uid) ?? []), fine])
  }
  return [...byReader]
    .filter(([, fines]) => fines.length > 1)
    .map(([uid, fines]) => ({ uid, name: fines.find(({ name }) => name !== null)?.name ?? nameOf(uid, log), fines }))
}
