import { queryOptions, useMutation, useQueryClient, type QueryClient } from '@tanstack/react-query'
import { storedRole } from '../lib/storage'
import { client, dataOf } from './client'
import { keys } from './keys'
import type { Profile, Registration, SignIn, User } from './types'

/** Who is signed in; `user` is null for a visitor. */
export const sessionQuery = queryOptions({
  queryKey: keys.session,
  queryFn: ({ signal }) => dataOf(client.GET('/auth/session', { signal })),
  staleTime: 60_000,
})

/** Another person, or nobody; what else the session says stays. */
export function setSessionUser(queries: QueryClient, user: User | null): void {
  queries.setQueryData(sessionQuery.queryKey, (session) => ({ idCard: session?.idCard ?? true, user }))
}

/** What an earlier person saw must not be shown to this one. */
function changePerson(queries: QueryClient, user: User | null): void {
  const session = queries.getQueryData(sessionQuery.queryKey)
  queries.clear()
  if (session) queries.setQueryData(sessionQuery.queryKey, session)
  setSessionUser(queries, user)
}

/** What this browser knew of the person who was signed in is forgotten. */
export function forgetPerson(queries: QueryClient): void {
  storedRole.clear()
  changePerson(queries, null)
}

export const meQuery = queryOptions({
  queryKey: keys.me,
  queryFn: ({ signal }) => dataOf(client.GET('/me', { signal })),
})

export function useSignIn() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (body: SignIn) => dataOf(client.POST('/auth/sign-in', { body })),
    onSuccess: (user) => changePerson(queries, user),
  })
}

export function useSignOut() {
  return useMutation({ mutationFn: () => dataOf(client.POST('/auth/sign-out')) })
}

export function useRegister() {
  return useMutation({ mutationFn: (body: Registration) => dataOf(client.POST('/auth/register', { body })) })
}

/** The email address that belongs to an ID card; the look-up is told the roll number trimmed and in lower case. */
export async function findCardHolder(rollNumber: string, signal: AbortSignal): Promise<string> {
  const body = { rollNumber: rollNumber.trim().toLowerCase() }
  const { email } = await dataOf(client.POST('/auth/id-card', { body, signal }))
  return email
}

export function useUpdateProfile() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (body: Profile) => dataOf(client.PATCH('/me', { body })),
    onSuccess: (user) => {
      queries.setQueryData(keys.me, user)
      setSessionUser(queries, user)
    },
  })
}
