import { queryOptions } from '@tanstack/react-query'
import { changePerson, sessionQuery } from './account'
import { action } from './action'
import { client, dataOf } from './client'
import type { FirstLibrarian } from './types'

const KEY = ['setup'] as const

/** True while the first librarian is still to be made. */
export const setupQuery = queryOptions({
  queryKey: KEY,
  queryFn: async ({ signal, client: queries }) => {
    const { needed } = await dataOf(client.GET('/setup', { signal }))
    // Sign-in redirects here as long as the session says that a setup is needed.
    if (!needed) {
      queries.setQueryData(sessionQuery.queryKey, (session) => session && { ...session, setup: false })
    }
    return needed
  },
})

/** Makes the first librarian, and signs in. */
export const setUp = action({
  name: 'setUp',
  send: (body: FirstLibrarian, call) => dataOf(client.POST('/setup', { body, ...call })),
  learn: (queries, user) => {
    changePerson(queries, user)
    queries.setQueryData(sessionQuery.queryKey, (session) => session && { ...session, setup: false })
  },
  changes: () => [KEY],
})
