import { infiniteQueryOptions, keepPreviousData, queryOptions, type QueryClient } from '@tanstack/react-query'
import { client, dataOf } from './client'
import { keys } from './keys'
import { FIRST_PAGE, pageAfter } from './pages'
import type { Scan } from './types'

/** Sends one scan; a repeat under the same key gets the same answer and has no second effect. */
export const scanAtDesk = (body: Scan, key: string) =>
  dataOf(client.POST('/desk/scans', { body, headers: { 'Idempotency-Key': key } }))

/** Invalidates everything that a scan may have changed. */
export const afterScan = (queries: QueryClient): Promise<unknown> =>
  Promise.all(
    [keys.books, keys.loans, keys.toShelve, keys.holds, keys.people, keys.today].map((queryKey) =>
      queries.invalidateQueries({ queryKey }),
    ),
  )

/** Librarians and kind of change. */
export type TodayFilter = { whose: 'mine' | 'everyone'; action?: string }

/** Changes at the desk today, newest first, with the totals for the till. */
export const todayQuery = (filter: TodayFilter) =>
  infiniteQueryOptions({
    queryKey: keys.todayList(filter),
    queryFn: ({ pageParam, signal }) =>
      dataOf(
        client.GET('/desk/today', {
          params: { query: { ...filter, ...(pageParam.cursor !== null && { cursor: pageParam.cursor }) } },
          signal,
        }),
      ),
    initialPageParam: FIRST_PAGE,
    getNextPageParam: (last, _pages, start) => pageAfter(last, start),
    placeholderData: keepPreviousData,
  })

/** Today in the library's time zone, and the last open day before. */
export const openDayQuery = queryOptions({
  queryKey: keys.openDay,
  queryFn: ({ signal }) => dataOf(client.GET('/desk/today', { params: { query: { limit: 1 } }, signal })),
  select: ({ day, lastOpenDay }) => ({ day, lastOpenDay }),
})
