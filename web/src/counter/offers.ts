import type { Charge, Copy, DeskAnswer, Hold, LostPrice, Message, Offered, Receipt } from '../api/types'
import type { Request, Told } from './queue'
import { changeOf } from './words'

/** What a screen may offer beside the words of an answer. */
export type Offer =
  | { kind: 'slip'; hold: Hold }
  | { kind: 'why'; messages: readonly Message[] }
  | { kind: 'unknown'; code: string }
  | { kind: 'choices'; choices: readonly Offered[]; request: Request }
  | { kind: 'all-people'; query: string }
  | { kind: 'override'; request: Request; blocks: readonly string[]; keptFor: string | undefined }
  | { kind: 'fine'; charge: Charge; uid: number }
  | { kind: 'receipt'; receipt: Receipt }
  | { kind: 'found'; lost: LostPrice }
  | { kind: 'damaged'; copy: Copy }
  | { kind: 'undo'; change: number }

/** States in which damage cannot be recorded: the copy is in repair already, or its title is deleted. */
const OUT_OF_USE: ReadonlySet<Copy['state']> = new Set(['in-repair', 'withdrawn'])

/** Lists the offers of an entry, in the order of the screen. */
export function offersOf(told: Told): Offer[] {
  const offers: Offer[] = []
  const { outcome } = told
  if (outcome.kind === 'answered') offers.push(...offersOfAnswer(outcome.request, outcome.answer))
  if (outcome.kind === 'settled' && outcome.settled.receipt) {
    offers.push({ kind: 'receipt', receipt: outcome.settled.receipt })
  }
  const change = changeOf(told)
  if (change !== null) offers.push({ kind: 'undo', change })
  return offers
}

function offersOfAnswer(request: Request, answer: DeskAnswer): Offer[] {
  const { hold, explain, choices, blocks, charge, charged, lost, copy } = answer
  const offers: (Offer | false | null | undefined)[] = [
    hold?.state === 'ready' && { kind: 'slip', hold },
    explain.length > 0 && { kind: 'why', messages: explain },
    answer.outcome === 'unknown' && { kind: 'unknown', code: request.code },
    choices.length > 0 && { kind: 'choices', choices, request },
    answer.messages.some(({ code }) => code === 'desk.morePeople') && { kind: 'all-people', query: request.code },
    blocks.length > 0 &&
      blocks.every(({ overridable }) => overridable) && {
        kind: 'override',
        request,
        blocks: blocks.map(({ id }) => id),
        keptFor: copy?.hold?.userName,
      },
    // The reader is not present at a book drop to pay.
    charge && request.returnedOn === undefined && typeof charged === 'number' && { kind: 'fine', charge, uid: charged },
    lost && { kind: 'found', lost },
    answer.outcome === 'returned' && copy && !OUT_OF_USE.has(copy.state) && { kind: 'damaged', copy },
  ]
  return offers.filter((offer) => !!offer)
}
