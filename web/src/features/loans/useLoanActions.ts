import { useState } from 'react'
import { useAction } from '../../api/action'
import { extendLoan, returnLoan } from '../../api/loans'
import { t } from '../../lib/messages'
import { messageOf, ProblemError } from '../../lib/problem'

/** `restock`: a librarian takes the book back and puts the copy on the shelf again. */
export type LoanAction = 'return' | 'restock' | 'extend'

const reasonOf = (reason: string, error: unknown): string =>
  error instanceof ProblemError && error.code === 'not-found' ? t('loans.ended') : reason

/** An extension that the rules refuse, which a librarian may grant all the same. */
export type Refused = { id: number; blocks: readonly string[]; reason: string }

const overridable = (error: unknown): readonly string[] => (error instanceof ProblemError ? error.overridable : [])

/** Returns and extends loans; several rows may be on their way at once, each until the list has been read again. */
export function useLoanActions(onRefused?: (refused: Refused) => void) {
  const [pending, setPending] = useState<ReadonlyMap<number, LoanAction>>(new Map())
  const giveBack = useAction(returnLoan, {
    done: () => t('loans.returned'),
    failed: (reason, error) => t('loans.returnFailed', { reason: reasonOf(reason, error) }),
  })
  const extend = useAction(extendLoan, {
    done: () => t('loans.extended'),
    failed: (reason, error) =>
      onRefused && overridable(error).length > 0 ? null : t('loans.extendFailed', { reason: reasonOf(reason, error) }),
  })

  async function run(id: number, action: LoanAction): Promise<void> {
    if (pending.has(id)) return
    setPending((before) => new Map(before).set(id, action))
    const outcome =
      action === 'extend'
        ? await extend.run({ id })
        : await giveBack.run(action === 'restock' ? { id, restock: true } : { id })
    if (!outcome.ok && action === 'extend') {
      const blocks = overridable(outcome.error)
      if (blocks.length > 0) onRefused?.({ id, blocks, reason: messageOf(outcome.error) })
    }
    await outcome.refreshed
    // The list that was read again is shown in the next task: until then the row stays as it is.
    await new Promise((resolve) => setTimeout(resolve))
    setPending((before) => {
      const after = new Map(before)
      after.delete(id)
      return after
    })
  }

  return { pending, run }
}
