import type { PeopleList } from '../../api/people'
import type { PeopleFilter } from '../../api/types'

export const FILTERS = [
  'hasBooks',
  'overdue',
  'owes',
  'inactive',
  'librarians',
] as const satisfies readonly PeopleFilter[]

/** Orders of the list; amounts begin with the highest. */
export const ORDERS = ['name', 'rollNumber', 'batch', 'department', 'openLoans', 'overdueLoans', 'owes'] as const
export type Order = (typeof ORDERS)[number]
const AMOUNTS: ReadonlySet<Order> = new Set(['openLoans', 'overdueLoans', 'owes'])

/** Reads the list's parameters from the address; invalid ones are left out. */
export function listIn(params: URLSearchParams): PeopleList {
  const filter = params.get('filter')
  const sort = params.get('sort') ?? ''
  return {
    q: params.get('q') ?? '',
    filter: FILTERS.find((known) => known === filter) ?? null,
    batch: params.get('batch') ?? '',
    sort: ORDERS.some((order) => order === sort || `-${order}` === sort) ? sort : '',
  }
}

/** Returns the address of the same list with another filter, batch or order, from its first page. */
export function addressWith(params: URLSearchParams, name: 'filter' | 'batch' | 'sort', value: string | null): string {
  const after = new URLSearchParams(params)
  if (value === null) after.delete(name)
  else after.set(name, value)
  after.delete('cursor')
  return after.toString()
}

/**
 * Returns the current direction of an order, and the address that its heading links to: first the usual direction, then
 * the reverse.
 */
export function orderOf(params: URLSearchParams, by: Order) {
  const sort = listIn(params).sort || 'name'
  const usual = AMOUNTS.has(by) ? `-${by}` : by
  const other = usual === by ? `-${by}` : by
  const direction = sort === by ? ('ascending' as const) : sort === `-${by}` ? ('descending' as const) : null
  return { direction, to: addressWith(params, 'sort', sort === usual ? other : usual) }
}
