import { useState } from 'react'
import { isSignedOut } from '../../api/client'
import { useExtendLoan, useReturnLoan } from '../../api/loans'
import { messageOf, ProblemError } from '../../lib/problem'
import { notify } from '../../lib/notify'

/** `restock`: a librarian takes the book back and puts the copy on the shelf again. */
export type LoanAction = 'return' | 'restock' | 'extend'

const OUTCOMES = {
  return: { done: 'Book returned successfully.', failed: 'The book could not be returned.' },
  restock: { done: 'Book returned successfully.', failed: 'The book could not be returned.' },
  extend: { done: 'Return date extended successfully.', failed: 'The return date could not be extended.' },
} as const satisfies Record<LoanAction, { done: string; failed: string }>

function reasonOf(error: unknown): string {
  const gone = error instanceof ProblemError && error.code === 'not-found'
  return gone ? 'This loan has already ended.' : messageOf(error)
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
      notify.success(OUTCOMES[action].done)
    } catch (error) {
      // Whoever is signed out is led to sign in, which says enough.
      if (!isSignedOut(error)) notify.failure(`${OUTCOMES[action].failed} ${reasonOf(error)}`, error)
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
