import { useState } from 'react'
import { isSignedOut } from '../../api/client'
import { useExtendLoan, useReturnLoan } from '../../api/loans'
import { t, type MessageKey } from '../../lib/messages'
import { messageOf, ProblemError } from '../../lib/problem'
import { notify } from '../../lib/notify'

/** `restock`: a librarian takes the book back and puts the copy on the shelf again. */
export type LoanAction = 'return' | 'restock' | 'extend'

const OUTCOMES = {
  return: { done: 'loans.returned', failed: 'loans.returnFailed' },
  restock: { done: 'loans.returned', failed: 'loans.returnFailed' },
  extend: { done: 'loans.extended', failed: 'loans.extendFailed' },
} as const satisfies Record<LoanAction, Record<'done' | 'failed', MessageKey>>

function reasonOf(error: unknown): string {
  const gone = error instanceof ProblemError && error.code === 'not-found'
  return gone ? t('loans.ended') : messageOf(error)
}

/** Returns and extends loans; several rows may be on their way at once, each until the list has been read again. */
export function useLoanActions() {
  const [pending, setPending] = useState<ReadonlyMap<number, LoanAction>>(new Map())
  const giveBack = useReturnLoan()
  const extend = useExtendLoan()

  async function run(id: number, action: LoanAction): Promise<void> {
    if (pending.has(id)) return
    setPending((before) => new Map(before).set(id, action))
    try {
      if (action === 'extend') await extend.mutateAsync(id)
      else await giveBack.mutateAsync(action === 'restock' ? { id, restock: true } : { id })
      notify.success(t(OUTCOMES[action].done))
    } catch (error) {
      // Whoever is signed out is led to sign in, which says enough.
      if (!isSignedOut(error)) notify.failure(t(OUTCOMES[action].failed, { reason: reasonOf(error) }), error)
    }
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
