import { queryOptions } from '@tanstack/react-query'
import { action } from './action'
import { client, dataOf } from './client'
import { keys } from './keys'
import type { AuthenticatorBegin, PasswordChange, SecondFactorCode, SecondFactorProof } from './types'

/** Sessions of the caller, this browser first. */
export const mySessionsQuery = queryOptions({
  queryKey: keys.mySessions,
  queryFn: async ({ signal }) => (await dataOf(client.GET('/me/sessions', { signal }))).sessions,
})

export const endSession = action({
  name: 'endSession',
  send: ({ id }: { id: number; browser: string }, call) =>
    dataOf(client.DELETE('/me/sessions/{id}', { params: { path: { id } }, ...call })),
  changes: () => [keys.mySessions],
  fault: 'The session could not be ended',
})

export const endOtherSessions = action({
  name: 'endOtherSessions',
  send: (_nothing: null, call) => dataOf(client.DELETE('/me/sessions', call)),
  changes: () => [keys.mySessions],
  fault: 'The other sessions could not be ended',
})

export const changePassword = action({
  name: 'changePassword',
  send: (body: PasswordChange, call) => dataOf(client.POST('/auth/password', { body, ...call })),
  changes: () => [keys.mySessions],
})

/** The caller's second factors. */
export const mySecondFactorQuery = queryOptions({
  queryKey: keys.mySecondFactor,
  queryFn: ({ signal }) => dataOf(client.GET('/me/second-factor', { signal })),
})

/** Returns a key for an authenticator app, which a code must confirm. */
export const beginAuthenticator = action({
  name: 'beginAuthenticator',
  send: (body: AuthenticatorBegin, call) => dataOf(client.POST('/auth/authenticator', { body, ...call })),
})

/** Confirms the second factor; this lifts the restriction of a librarian who needed one. */
export const confirmAuthenticator = action({
  name: 'confirmAuthenticator',
  send: (body: SecondFactorCode, call) => dataOf(client.POST('/auth/authenticator/confirm', { body, ...call })),
  changes: () => [keys.mySecondFactor, keys.session],
})

export const removeAuthenticator = action({
  name: 'removeAuthenticator',
  send: (body: SecondFactorProof, call) => dataOf(client.POST('/auth/authenticator/remove', { body, ...call })),
  changes: () => [keys.mySecondFactor, keys.session],
})

export const makeRecoveryCodes = action({
  name: 'makeRecoveryCodes',
  send: (body: SecondFactorProof, call) => dataOf(client.POST('/auth/recovery-codes', { body, ...call })),
  changes: () => [keys.mySecondFactor],
})

/** Resets the second factor of a person who lost it. */
export const resetSecondFactorOf = action({
  name: 'resetSecondFactorOf',
  send: (uid: number, call) =>
    dataOf(client.DELETE('/people/{id}/second-factor', { params: { path: { id: uid } }, ...call })),
  changes: () => [keys.people, keys.changes],
  fault: 'The second factor could not be reset',
})

/** Ends all sessions of another person. */
export const endSessionsOf = action({
  name: 'endSessionsOf',
  send: (uid: number, call) =>
    dataOf(client.DELETE('/people/{id}/sessions', { params: { path: { id: uid } }, ...call })),
  changes: () => [keys.changes],
  fault: 'The person could not be signed out',
})
