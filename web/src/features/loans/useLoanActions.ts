import { useState } from 'react'
import { useAction } from '../../api/action'
import { extendLoan, returnLoan, takeBack } from '../../api/loans'
import type { ExtendedLoan, Loan, ReturnedCopy } from '../../api/types'
import { quoted } from '../../lib/format'
import { t } from '../../lib/messages'
import { messageOf, ProblemError } from '../../lib/problem'

/** `restock`: a librarian returns the book and puts the copy on the shelf. */
export type LoanAction = 'return' | 'restock' | 'extend'

const reasonOf = (reason: string, error: unknown): string =>
  error instanceof ProblemError && error.code === 'not-found' ? t('loans.ended') : reason

/** An extension that the rules refuse and a librarian may override. */
export type Refused = { id: number; blocks: readonly string[]; reason: string }

const overridable = (error: unknown): readonly string[] => (error instanceof ProblemError ? error.overridable : [])

/** Says that a loan was extended, and which fine was dropped with the old due date (R-MONEY-5). */
export function extendedText({ title, returnDate: day, droppedFine: fine }: ExtendedLoan): string {
  const what = { title: quoted(title), day }
  return fine > 0 ? t('loans.extendedDropped', { ...what, fine }) : t('loans.extended', what)
}

type LoanFacts = Pick<Loan, 'id' | 'title'>

function takenBack(landed: ReturnedCopy, loan: LoanFacts): string {
  const title = quoted(loan.title)
  if (landed.hold) {
    return t('loans.returned.kept', { title, name: landed.hold.userName, day: landed.hold.readyUntil })
  }
  if (landed.state === 'on-shelf') return t('loans.returned.onShelf', { title, count: landed.onShelf })
  if (landed.state === 'to-shelve') return t('loans.returned.toShelve', { title })
  if (landed.state === 'withdrawn') return t('loans.returned.withdrawn', { title })
  return t('loans.returned', { title })
}

/**
 * Returns and extends loans. Several rows may be pending, each until the list is reloaded. For librarians the notice
 * says where the copy is, and `onRefused` is called for a refusal that they may override.
 */
export function useLoanActions(onRefused?: (refused: Refused) => void) {
  const [pending, setPending] = useState<ReadonlyMap<number, LoanAction>>(new Map())
  const returnFailed = (reason: string, error: unknown) => t('loans.returnFailed', { reason: reasonOf(reason, error) })
  const giveBack = useAction(returnLoan, {
    done: ({ waiting }, { title }) =>
      t(waiting > 0 ? 'loans.returned.awaited' : 'loans.returned.leave', { title: quoted(title) }),
    failed: returnFailed,
  })
  const take = useAction(takeBack, { done: takenBack, failed: returnFailed })
  const extend = useAction(extendLoan, {
    done: extendedText,
    failed: (reason, error) =>
      onRefused && overridable(error).length > 0 ? null : t('loans.extendFailed', { reason: reasonOf(reason, error) }),
  })

  async function run({ id, title }: LoanFacts, action: LoanAction): Promise<void> {
    if (pending.has(id)) return
    setPending((before) => new Map(before).set(id, action))
    const outcome =
      action === 'extend'
        ? await extend.run({ id })
        : onRefused
          ? await take.run({ id, title, restock: action === 'restock' })
          : await giveBack.run({ id, title })
    if (!outcome.ok && action === 'extend') {
      const blocks = overridable(outcome.error)
      if (blocks.length > 0) onRefused?.({ id, blocks, reason: messageOf(outcome.error) })
    }
    await outcome.refreshed
    // The reloaded list renders in the next task; the row stays as it is until then.
    await new Promise((resolve) => setTimeout(resolve))
    setPending((before) => {
      const after = new Map(before)
      after.delete(id)
      return after
    })
  }

  return { pending, run }
}
