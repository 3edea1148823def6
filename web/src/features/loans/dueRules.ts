import type { Loan } from '../../api/types'

const DAY_MS = 86_400_000
/** A loan that ends within so many days is said to be due soon. */
const SOON_DAYS = 2

const numberOf = (isoDay: string) => Date.parse(`${isoDay}T00:00:00Z`) / DAY_MS

export type DueState = 'overdue' | 'today' | 'soon' | 'later'

/** How near the return date is on the library's own day, which the server tells (R-LOAN-8). */
export function dueState(loan: Pick<Loan, 'returnDate' | 'overdueDays'>, today: string): DueState {
  if (loan.overdueDays > 0) return 'overdue'
  const left = numberOf(loan.returnDate) - numberOf(today)
  if (left <= 0) return 'today'
  return left <= SOON_DAYS ? 'soon' : 'later'
}
