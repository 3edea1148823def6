import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { action } from './action'
import { client, dataOf } from './client'
import { keys } from './keys'
import { FIRST_PAGE, pageAfter } from './pages'
import { UNDONE, undoChange } from './undo'

/** Filter of changes; all given values must match. Days are in the library's time zone. */
export type ChangeFilter = { person?: number; book?: number; action?: string; from?: string; to?: string }

/** Changes, newest first. */
export const changesQuery = (filter: ChangeFilter) =>
  infiniteQueryOptions({
    queryKey: keys.changeList(filter),
    queryFn: ({ pageParam, signal }) =>
      dataOf(
        client.GET('/changes', {
          params: { query: { ...filter, ...(pageParam.cursor !== null && { cursor: pageParam.cursor }) } },
          signal,
        }),
      ),
    initialPageParam: FIRST_PAGE,
    getNextPageParam: (last, _pages, start) => pageAfter(last, start),
    placeholderData: keepPreviousData,
  })

/** Newest change of this kind; null without such a change. */
export const newestChangeQuery = (kind: string) =>
  queryOptions({
    queryKey: [...keys.changes, 'newest', kind],
    queryFn: async ({ signal }) => {
      const { changes } = await dataOf(
        client.GET('/changes', { params: { query: { action: kind, limit: 1 } }, signal }),
      )
      return changes[0] ?? null
    },
  })

export const undo = action({
  name: 'undo',
  send: (change: number, { headers }) => undoChange(change, headers['Idempotency-Key']),
  changes: () => UNDONE,
  fault: 'The change could not be undone',
  expected: ['refused'],
})

/** Returns the address of the CSV export. */
export function changesFile(filter: ChangeFilter): string {
  const params = new URLSearchParams(Object.entries(filter).map(([name, value]) => [name, String(value)]))
  return `/library/api/v1/changes.csv?${params.toString()}`
}
