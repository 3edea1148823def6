import { infiniteQueryOptions, queryOptions, type QueryClient } from '@tanstack/react-query'
import { sessionQuery, signOut } from './account'
import { action } from './action'
import { client, dataOf } from './client'
import { listen } from './events'
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

/** True from the press of Logout until the person's data is cleared; false again after a failed sign-out. */
const isSigningOut = (queries: QueryClient): boolean =>
  queries
    .getMutationCache()
    .findAll({ mutationKey: [signOut.name] })
    .some(({ state }) => state.status !== 'error')

/**
 * Keeps the number of unread notices of a signed-in page up to date until it is stopped, while the page is in view. At the
 * end of the session the page reads the session again, and leads to sign-in.
 */
export function listenToBell(queries: QueryClient): () => void {
  let stop: (() => void) | null = null
  let isOver = false
  const onUnread = (unread: number) => {
    const before = queries.getQueryData(sessionQuery.queryKey)?.unreadNotices ?? 0
    setUnread(queries, unread)
    if (unread <= before) return
    void queries.invalidateQueries({ queryKey: NEWEST })
    void queries.invalidateQueries({ queryKey: myNoticesQuery.queryKey })
  }
  const onEnded = async () => {
    pause()
    await queries.refetchQueries({ queryKey: sessionQuery.queryKey })
    // Still signed in: a new password has renewed the session.
    if (queries.getQueryData(sessionQuery.queryKey)?.user) follow()
  }
  const start = () =>
    listen('/me/notices/unread', {
      onEvent: ({ event, data }) => {
        if (event === 'ended') void onEnded()
        if (event === 'unread') onUnread((JSON.parse(data) as { unread: number }).unread)
      },
      onConnected: () => undefined,
      // The next call of the page notices why.
      onRefused: () => undefined,
    })
  const pause = () => {
    stop?.()
    stop = null
  }
  // A browser opens few connections to one server, and tabs in the background would take all of them. After a sign-out
  // the server would refuse the stream.
  const follow = () => {
    if (document.hidden) pause()
    else if (!isOver && !isSigningOut(queries)) stop ??= start()
  }
  follow()
  document.addEventListener('visibilitychange', follow)
  return () => {
    isOver = true
    document.removeEventListener('visibilitychange', follow)
    pause()
  }
}

/** Marks the user's notices as read, up to one of them. The list shows them as unread until its next reload. */
export const readNotices = action({
  name: 'readNotices',
  send: (upTo: number, call) => dataOf(client.POST('/me/notices/read', { body: { upTo }, ...call })),
  learn: (queries, { unread }) => setUnread(queries, unread),
  changes: () => [NEWEST],
  fault: 'The notices could not be marked as read',
})
