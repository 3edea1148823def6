import type { Task, Told } from './tasks'

/** What was pressed, by name. */
export type Acts = ReadonlyMap<string, 'sent' | 'done'>

/** Names of what a task does: two tasks with one of them in common are the same press. */
export function actsOf(task: Task): string[] {
  switch (task.kind) {
    case 'scan':
      return task.card === undefined ? [] : [`card ${task.card}`]
    case 'pay':
    case 'waive':
      return task.fines.charges.map(({ id }) => `fine ${id}`)
    case 'undo':
      return [`undo ${task.change}`]
    case 'close':
    case 'reopen':
      return []
  }
}

/** A fine that was charged at the desk and is neither paid, waived nor put off. */
export type OpenFine = { told: Told; id: number; open: number; uid: number; name: string | null }

/** The fine that an entry still offers to settle. */
export function fineOf(told: Told, acts: Acts): OpenFine | null {
  const { outcome } = told
  if (outcome.kind !== 'answered') return null
  const { charge, charged, change } = outcome.answer
  // The reader is not present at a book drop to pay.
  if (!charge || charge.open <= 0 || outcome.request.returnedOn !== undefined || typeof charged !== 'number')
    return null
  if (acts.has(`aside ${told.id}`) || acts.has(`fine ${charge.id}`) || isUndone(change, acts)) return null
  return { told, id: charge.id, open: charge.open, uid: charged, name: nameIn(told) }
}

/** The name of a reader in one of these entries. */
function nameOf(uid: number, told: readonly Told[]): string | null {
  for (const { outcome } of told) {
    if (outcome.kind !== 'answered') continue
    const { person } = outcome.answer
    if (person?.uid === uid) return person.name
  }
  return null
}

const isUndone = (change: number | null | undefined, acts: Acts): boolean =>
  typeof change === 'number' && acts.get(`undo ${change}`) === 'done'

function nameIn({ outcome }: Told): string | null {
  if (outcome.kind !== 'answered') return null
  const named = outcome.answer.messages.find(({ code }) => code === 'desk.returnedBy')?.params['name']
  return typeof named === 'string' ? named : null
}

/** Whether an entry waits for the librarian: a fine, a slip, a question, or a task that the server refused (R-SEAM-6). */
export function isUnsettled(told: Told, acts: Acts): boolean {
  if (acts.has(`aside ${told.id}`)) return false
  const { outcome } = told
  if (outcome.kind === 'failed') return true
  if (outcome.kind !== 'answered' || isUndone(outcome.answer.change, acts)) return false
  const { answer } = outcome
  return fineOf(told, acts) !== null || answer.hold?.state === 'ready' || isQuestion(told, acts)
}

/** Whether an entry asks something that is not answered yet. */
export const isQuestion = ({ id, outcome }: Told, acts: Acts): boolean =>
  outcome.kind === 'answered' &&
  outcome.answer.outcome === 'ask' &&
  outcome.answer.choices.length > 0 &&
  !acts.has(`card ${id}`)

/** Readers with more than one open fine: they are taken as one sum. */
export function sumsOf(told: readonly Told[], acts: Acts): { uid: number; name: string | null; fines: OpenFine[] }[] {
  const byReader = new Map<number, OpenFine[]>()
  for (const fine of told.flatMap((one) => fineOf(one, acts) ?? [])) {
    byReader.set(fine.uid, [...(byReader.get(fine.uid) ?? []), fine])
  }
  return [...byReader]
    .filter(([, fines]) => fines.length > 1)
    .map(([uid, fines]) => ({ uid, name: fines.find(({ name }) => name !== null)?.name ?? nameOf(uid, told), fines }))
}
