import type { Loan } from '../../api/types'

const DAY_MS = 86_400_000
/** A loan that ends within so many days is said to be due soon. */
const SOON_DAYS = 2

type Due = Pick<Loan, 'EntryDate' | 'returnDate' | 'overdueDays'>

const numberOf = (isoDay: string) => Date.parse(`${isoDay}T00:00:00Z`) / DAY_MS
const dayOf = (number: number) => new Date(number * DAY_MS).toISOString().slice(0, 10)

/** The calendar day on the wall where this browser is. */
export function browserDay(now = new Date()): string {
  return dayOf(Math.floor((now.getTime() - now.getTimezoneOffset() * 60_000) / DAY_MS))
}

/**
 * Which day it is in the library, as far as its answer tells: an overdue loan gives it exactly. Otherwise it lies between
 * the latest entry date and the first return date, and only between those two is the browser believed.
 */
export function libraryDay(loans: readonly Due[], fallback: string): string {
  const overdue = loans.find((loan) => loan.overdueDays > 0)
  if (overdue) return dayOf(numberOf(overdue.returnDate) + overdue.overdueDays)
  return loans.reduce((day, loan) => {
    if (day < loan.EntryDate) return loan.EntryDate
    return day > loan.returnDate ? loan.returnDate : day
  }, fallback)
}

export type DueState = 'overdue' | 'soon' | 'later'

export function dueState(loan: Due, today: string): DueState {
  if (loan.overdueDays > 0) return 'overdue'
  return numberOf(loan.returnDate) - numberOf(today) <= SOON_DAYS ? 'soon' : 'later'
}
