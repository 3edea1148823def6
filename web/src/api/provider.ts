import { queryOptions } from '@tanstack/react-query'
import { changePerson } from './account'
import { action } from './action'
import { client, dataOf } from './client'
import { keys } from './keys'
import type { ProviderLink, ProviderSignIn } from './types'

/** Begins a sign-in with the college's provider; the answer has the address to open. */
export const beginByProvider = action({
  name: 'beginByProvider',
  send: (body: ProviderSignIn, call) => dataOf(client.POST('/auth/oidc', { body, ...call })),
})

/** Links an account with the college's provider, once, by its library password, and signs in. */
export const linkProvider = action({
  name: 'linkProvider',
  send: (body: ProviderLink, call) => dataOf(client.POST('/auth/oidc/link', { body, ...call })),
  learn: (queries, user) => changePerson(queries, user),
})

/** Link of the caller's account with the college's provider. */
export const myProviderQuery = queryOptions({
  queryKey: keys.myProvider,
  queryFn: ({ signal }) => dataOf(client.GET('/me/oidc', { signal })),
})

export const unlinkProvider = action({
  name: 'unlinkProvider',
  send: (_nothing: null, call) => dataOf(client.DELETE('/me/oidc', call)),
  changes: () => [keys.myProvider],
  fault: 'The account could not be disconnected',
})
