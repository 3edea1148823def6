import { queryOptions } from '@tanstack/react-query'
import { action } from './action'
import { client, dataOf } from './client'
import { keys } from './keys'
import type { PasswordChange } from './types'

/** Where one is signed in; this browser first. */
export const mySessionsQuery = queryOptions({
  queryKey: keys.mySessions,
  queryFn: async ({ signal }) => (await dataOf(client.GET('/me/sessions', { signal }))).sessions,
})

export const endSession = action({
  send: ({ id }: { id: number; browser: string }, call) =>
    dataOf(client.DELETE('/me/sessions/{id}', { params: { path: { id } }, ...call })),
  changes: () => [keys.mySessions],
  fault: 'The session could not be ended',
})

export const endOtherSessions = action({
  send: (_nothing: null, call) => dataOf(client.DELETE('/me/sessions', call)),
  changes: () => [keys.mySessions],
  fault: 'The other sessions could not be ended',
})

export const changePassword = action({
  send: (body: PasswordChange, call) => dataOf(client.POST('/auth/password', { body, ...call })),
  changes: () => [keys.mySessions],
})

/** Signs somebody else out everywhere. */
export const endSessionsOf = action({
  send: (uid: number, call) =>
    dataOf(client.DELETE('/people/{id}/sessions', { params: { path: { id: uid } }, ...call })),
  changes: () => [keys.changes],
  fault: 'The person could not be signed out',
})
