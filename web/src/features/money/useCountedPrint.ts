import { useState } from 'react'
import { useAction } from '../../api/action'
import { countPrint } from '../../api/money'
import type { Receipt } from '../../api/types'
import { t } from '../../lib/messages'

/**
 * Counts a print of a receipt (R-MONEY-3); `counted` is the receipt with its number of prints, until `done` is called.
 */
export function useCountedPrint() {
  const [counted, setCounted] = useState<Receipt | null>(null)
  const count = useAction(countPrint, { failed: (reason) => t('money.receipt.printFailed', { reason }) })

  async function print(number: string) {
    // Ignores a press while a print is under way.
    if (count.pending || counted !== null) return
    const outcome = await count.run(number)
    if (outcome.ok) setCounted(outcome.output)
  }

  return { print, pending: count.pending, counted, done: () => setCounted(null) }
}
