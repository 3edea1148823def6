import type { DebtorFilter, LineFilter } from '../../api/money'
import { daysIn } from '../../lib/addressFilter'
import { KINDS, METHODS } from './lineText'

/** Reads the filter from the address; invalid days, kinds and methods are left out. */
export function filterIn(params: URLSearchParams): LineFilter {
  const kind = KINDS.find((one) => one === params.get('kind'))
  const method = METHODS.find((one) => one === params.get('method'))
  return {
    ...daysIn(params),
    ...(kind && { kind }),
    ...(method && { method }),
  }
}

/** Orders of the people with a balance; debts begin with the highest. */
export const DEBTOR_ORDERS = ['owes', 'name', 'batch'] as const
export type DebtorOrder = (typeof DEBTOR_ORDERS)[number]

/** Reads batch and order of the people with a balance from the address; an unknown order is left out. */
export function debtorsIn(params: URLSearchParams): DebtorFilter {
  const batch = params.get('batch') ?? ''
  const sort = params.get('sort') ?? ''
  const isKnown = DEBTOR_ORDERS.some((order) => order === sort || `-${order}` === sort)
  return { ...(batch !== '' && { batch }), ...(isKnown && { sort }) }
}

/**
 * Returns the current direction of an order, and the address that its heading links to: first the usual direction, then
 * the reverse.
 */
export function debtorOrderOf(params: URLSearchParams, by: DebtorOrder) {
  const sort = debtorsIn(params).sort ?? '-owes'
  const usual = by === 'owes' ? '-owes' : by
  const other = by === 'owes' ? 'owes' : `-${by}`
  const direction = sort === by ? ('ascending' as const) : sort === `-${by}` ? ('descending' as const) : null
  const after = new URLSearchParams(params)
  after.set('sort', sort === usual ? other : usual)
  return { direction, to: after.toString() }
}
