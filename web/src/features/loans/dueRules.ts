import type { Loan } from '../../api/types'

const DAY_MS = 86_400_000
/** Number of days before the due date from which a loan counts as due soon. */
const SOON_DAYS = 2

const numberOf = (isoDay: string) => Date.parse(`${isoDay}T00:00:00Z`) / DAY_MS

export type DueState = 'overdue' | 'today' | 'soon' | 'later'

/** Returns the days from today to the due date. */
export const daysLeft = (loan: Pick<Loan, 'returnDate'>, today: string): number =>
  numberOf(loan.returnDate) - numberOf(today)

/** Classifies the due date relative to the library's today, from the server (R-LOAN-8). */
export function dueState(loan: Pick<Loan, 'returnDate' | 'overdueDays'>, today: string): DueState {
  if (loan.overdueDays > 0) return 'overdue'
  const left = daysLeft(loan, today)
  if (left <= 0) return 'today'
  return left <= SOON_DAYS ? 'soon' : 'later'
}
