import type { Copy, DeskAnswer, Hold, LostPrice, Message, Offered, Receipt } from '../api/types'
import { chargesOfLost, fineOf, type Acts, type OpenFine } from './acts'
import type { Request, LogEntry } from './tasks'
import { changeOf } from './words'

/** Action that a screen may offer beside the text of an answer. */
export type Offer =
  | { kind: 'slip'; hold: Hold }
  | { kind: 'why'; messages: readonly Message[] }
  | { kind: 'unknown'; code: string }
  | { kind: 'choices'; choices: readonly Offered[]; request: Request }
  | { kind: 'add-copy'; book: number }
  | { kind: 'all-people'; query: string }
  | { kind: 'override'; request: Request; blocks: readonly string[]; keptFor: string | undefined }
  | { kind: 'fine'; fine: OpenFine }
  | { kind: 'lost'; charges: readonly OpenFine[] }
  | { kind: 'receipt'; receipt: Receipt }
  | { kind: 'found'; lost: LostPrice }
  | { kind: 'damaged'; copy: Copy }
  | { kind: 'again' }
  | { kind: 'checked' }
  | { kind: 'undo'; change: number }

/** States in which damage cannot be recorded: the copy is in repair already, or its title is deleted. */
const OUT_OF_USE: ReadonlySet<Copy['state']> = new Set(['in-repair', 'withdrawn'])

/** Lists the offers of an entry in screen order, without those already used. */
export function offersOf(entry: LogEntry, acts: Acts): Offer[] {
  const offers: Offer[] = []
  const { outcome } = entry
  if (outcome.kind === 'answered') offers.push(...offersOfAnswer(entry, outcome.request, outcome.answer, acts))
  if (outcome.kind === 'settled' && outcome.receipt) offers.push({ kind: 'receipt', receipt: outcome.receipt })
  const charges = chargesOfLost(entry, acts)
  if (charges.length > 0) offers.push({ kind: 'lost', charges })
  if (outcome.kind === 'failed' && !acts.has(`aside ${entry.id}`)) offers.push({ kind: 'again' })
  if (outcome.kind === 'set-aside' && !acts.has(`aside ${entry.id}`)) offers.push({ kind: 'checked' })
  const change = changeOf(entry)
  if (change !== null) offers.push({ kind: 'undo', change })
  return offers
}

function offersOfAnswer(entry: LogEntry, request: Request, answer: DeskAnswer, acts: Acts): Offer[] {
  const { hold, explain, choices, blocks, lost, copy } = answer
  const isDone = acts.has(`card ${entry.id}`)
  const fine = fineOf(entry, acts)
  const offers: (Offer | false | null | undefined)[] = [
    hold?.state === 'ready' && { kind: 'slip', hold },
    explain.length > 0 && { kind: 'why', messages: explain },
    answer.outcome === 'unknown' && { kind: 'unknown', code: request.code },
    choices.length > 0 && !isDone && { kind: 'choices', choices, request },
    answer.messages.some(({ code }) => code === 'desk.noCopies') &&
      answer.book && { kind: 'add-copy', book: answer.book.id },
    answer.messages.some(({ code }) => code === 'desk.morePeople') && { kind: 'all-people', query: request.code },
    blocks.length > 0 &&
      blocks.every(({ overridable }) => overridable) &&
      !isDone && {
        kind: 'override',
        request,
        blocks: blocks.map(({ id }) => id),
        keptFor: copy?.hold?.userName,
      },
    fine && { kind: 'fine', fine },
    lost && { kind: 'found', lost },
    answer.outcome === 'returned' && copy && !OUT_OF_USE.has(copy.state) && !isDone && { kind: 'damaged', copy },
  ]
  return offers.filter((offer) => !!offer)
}
