import { infiniteQueryOptions, queryOptions, type QueryClient } from '@tanstack/react-query'
import { sessionQuery } from './account'
import { action } from './action'
import { client, dataOf } from './client'
import { keys } from './keys'
import { FIRST_PAGE, pageAfter } from './pages'

// Kept out of keys.ts, because the sign-in page loads that file.
const NEWEST = [...keys.me, 'newest-notices'] as const

/** Own notices, newest first. */
export const myNoticesQuery = infiniteQueryOptions({
  queryKey: [...keys.me, 'notices'],
  queryFn: ({ pageParam, signal }) =>
    dataOf(
      client.GET('/me/notices', {
        params: { query: { ...(pageParam.cursor !== null && { cursor: pageParam.cursor }) } },
        signal,
      }),
    ),
  initialPageParam: FIRST_PAGE,
  getNextPageParam: (last, _pages, start) => pageAfter(last, start),
})

/** The newest own notices, for the home. */
export const newestNoticesQuery = queryOptions({
  queryKey: NEWEST,
  queryFn: async ({ signal }) => (await dataOf(client.GET('/me/notices', { signal }))).notices,
})

/** Notices of a person, including those that are no longer true. */
export const personNoticesQuery = (uid: number) =>
  infiniteQueryOptions({
    queryKey: [...keys.person(uid), 'notices'],
    queryFn: ({ pageParam, signal }) =>
      dataOf(
        client.GET('/people/{id}/notices', {
          params: {
            path: { id: uid },
            query: { limit: 10, ...(pageParam.cursor !== null && { cursor: pageParam.cursor }) },
          },
          signal,
        }),
      ),
    initialPageParam: FIRST_PAGE,
    getNextPageParam: (last, _pages, start) => pageAfter(last, start),
  })

/** Stores the number of unread notices in the session, where the bell reads it. */
function setUnread(queries: QueryClient, unread: number): void {
  queries.setQueryData(sessionQuery.queryKey, (session) => session && { ...session, unreadNotices: unread })
}

/** Marks the user's notices as read, up to one of them. The list shows them as unread until its next reload. */
export const readNotices = action({
  name: 'readNotices',
  send: (upTo: number, call) => dataOf(client.POST('/me/notices/read', { body: { upTo }, ...call })),
  learn: (queries, { unread }) => setUnread(queries, unread),
  changes: () => [NEWEST],
  fault: 'The notices could not be marked as read',
})
