import type { LoanList } from '../../api/loans'
import type { LoanDue, LoanOrder } from '../../api/types'

export const DUES = ['overdue', 'today', 'week'] as const satisfies readonly LoanDue[]
export const ORDERS = ['returnDate', 'name', 'batch'] as const satisfies readonly LoanOrder[]

/** Reads the list's parameters from the address; unknown values become the defaults. */
export const listIn = (params: URLSearchParams, q: string): LoanList => ({
  q,
  due: DUES.find((due) => due === params.get('due')) ?? null,
  sort: ORDERS.find((order) => order === params.get('sort')) ?? ORDERS[0],
})

/** Returns the address of the list's first page with another selection or order. */
export function addressWith(params: URLSearchParams, name: 'due' | 'sort', value: string | null): string {
  const next = new URLSearchParams(params)
  if (value === null || value === ORDERS[0]) next.delete(name)
  else next.set(name, value)
  next.delete('cursor')
  return next.toString()
}
