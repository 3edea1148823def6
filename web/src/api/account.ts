import { queryOptions, useQuery, type QueryClient } from '@tanstack/react-query'
import { clearNotices } from '../lib/notify'
import { storedRole } from '../lib/storage'
import { action, clearIntents } from './action'
import { client, dataOf } from './client'
import { keys } from './keys'
import type {
  Capability,
  Entered,
  ForgottenPassword,
  PasswordReset,
  Profile,
  Redemption,
  Registration,
  SecondFactorCode,
  SignIn,
  User,
} from './types'

/** Current session; `user` is null for a visitor. */
export const sessionQuery = queryOptions({
  queryKey: keys.session,
  queryFn: ({ signal }) => dataOf(client.GET('/auth/session', { signal })),
  staleTime: 60_000,
})

/** Returns the current user's id without subscribing, for screens whose guard has checked the session. */
export const uidOf = (queries: QueryClient): number => queries.getQueryData(sessionQuery.queryKey)?.user?.uid ?? 0

/** True if the signed-in librarian has this capability (R-PEOPLE-8). */
export const useMay = (capability: Capability): boolean =>
  useQuery(sessionQuery).data?.user?.capabilities.includes(capability) ?? false

/** Replaces the session's user and keeps its other fields. */
export function setSessionUser(queries: QueryClient, user: User | Entered | null): void {
  const secondFactorMissing = user !== null && 'secondFactorMissing' in user
  queries.setQueryData(sessionQuery.queryKey, (session) => ({
    idCard: true,
    ...session,
    expiresIn: undefined,
    unreadNotices: undefined,
    user,
    secondFactorMissing,
  }))
}

/** Switches to another person; cached data of the previous one must not be shown. */
export function changePerson(queries: QueryClient, user: Entered | null): void {
  // The session query stays, because the frame observes it.
  queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== keys.session[0] })
  queries.getMutationCache().clear()
  clearNotices()
  clearIntents()
  setSessionUser(queries, user)
}

/** Clears this browser's data of the signed-in person. */
export function clearPerson(queries: QueryClient): void {
  storedRole.clear()
  changePerson(queries, null)
}

export const meQuery = queryOptions({
  queryKey: keys.me,
  queryFn: ({ signal }) => dataOf(client.GET('/me', { signal })),
})

export const signIn = action({
  name: 'signIn',
  send: (body: SignIn, call) => dataOf(client.POST('/auth/sign-in', { body, ...call })),
  learn: (queries, user) => changePerson(queries, user),
})

/** Completes a sign-in with a code of the second factor. */
export const giveCode = action({
  name: 'giveCode',
  send: (body: SecondFactorCode, call) => dataOf(client.POST('/auth/sign-in/code', { body, ...call })),
  learn: (queries, user) => changePerson(queries, user),
})

/** Chooses a password with a sign-in code, and signs in. */
export const redeem = action({
  name: 'redeem',
  send: ({ rollNumber = '', email = '', ...rest }: Redemption, call) => {
    const body = { ...rest, ...(rollNumber.trim() && { rollNumber }), ...(email.trim() && { email }) }
    return dataOf(client.POST('/auth/redeem', { body, ...call }))
  },
  learn: (queries, user) => changePerson(queries, user),
})

/** Requests a password reset link by mail. */
export const askForLink = action({
  name: 'askForLink',
  send: (body: ForgottenPassword, call) => dataOf(client.POST('/auth/forgot', { body, ...call })),
})

/** Sets a new password with a reset link, and signs in. */
export const resetPassword = action({
  name: 'resetPassword',
  send: (body: PasswordReset, call) => dataOf(client.POST('/auth/reset', { body, ...call })),
  learn: (queries, user) => changePerson(queries, user),
})

export const signOut = action({
  name: 'signOut',
  send: (_nothing: null, call) => dataOf(client.POST('/auth/sign-out', call)),
  fault: 'The person could not be signed out',
})

export const register = action({
  name: 'register',
  send: (body: Registration, call) => dataOf(client.POST('/auth/register', { body, ...call })),
})

/** Finds the email address of an ID card; the roll number is trimmed and lower-cased. */
export async function findCardHolder(rollNumber: string, signal: AbortSignal): Promise<string> {
  const body = { rollNumber: rollNumber.trim().toLowerCase() }
  const { email } = await dataOf(client.POST('/auth/id-card', { body, signal }))
  return email
}

export const updateProfile = action({
  name: 'updateProfile',
  send: (body: Profile, call) => dataOf(client.PATCH('/me', { body, ...call })),
  learn: (queries, user) => {
    queries.setQueryData(keys.me, user)
    setSessionUser(queries, user)
  },
  fault: 'The profile could not be updated',
})
