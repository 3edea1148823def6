import { infiniteQueryOptions, keepPreviousData, type QueryClient } from '@tanstack/react-query'
import { client, dataOf } from './client'
import { keys } from './keys'
import { FIRST_PAGE, pageAfter } from './pages'
import type { Scan } from './types'

/** Sends one scan. A retry with the same key gets the same answer and has no further effect. */
export const scanAtDesk = (body: Scan, key: string, signal: AbortSignal) =>
  dataOf(client.POST('/desk/scans', { body, signal, headers: { 'Idempotency-Key': key } }))

/** Queries of other screens that a task of the desk may change. */
const CHANGED = [
  keys.books,
  keys.changes,
  keys.holds,
  keys.loans,
  keys.money,
  keys.people,
  keys.today,
  keys.toShelve,
  keys.unseen,
]
const QUIET_MS = 5000
const quiet = new WeakMap<QueryClient, ReturnType<typeof setTimeout>>()

/**
 * Invalidates the data that a task of the desk may have changed. While the desk is on the screen, visible data is reloaded
 * only after five quiet seconds, so that a scan costs one request.
 */
export function afterTask(queries: QueryClient, isDeskShown: boolean): void {
  if (!isDeskShown) return CHANGED.forEach((queryKey) => void queries.invalidateQueries({ queryKey }))
  for (const queryKey of CHANGED) void queries.invalidateQueries({ queryKey, refetchType: 'none' })
  clearTimeout(quiet.get(queries))
  const refresh = () => CHANGED.map((queryKey) => queries.refetchQueries({ queryKey, type: 'active', stale: true }))
  quiet.set(queries, setTimeout(refresh, QUIET_MS))
}

/** Filter of today's changes at the desk: by librarian, and by kind of change. */
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
