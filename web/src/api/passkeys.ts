import { queryOptions } from '@tanstack/react-query'
import { makePasskey, showPasskey } from '../lib/passkey'
import { changePerson } from './account'
import { action } from './action'
import { client, dataOf } from './client'
import { keys } from './keys'
import type { AuthenticatorBegin } from './types'

/** Second factors available after the password, in this browser. */
export const secondStepQuery = queryOptions({
  queryKey: keys.secondStep,
  queryFn: ({ signal }) => dataOf(client.GET('/auth/sign-in/code', { signal })),
  staleTime: 0,
  gcTime: 0,
})

/** Signs in with a passkey, alone or after the password. */
export const signInWithPasskey = action({
  name: 'signInWithPasskey',
  send: async ({ secondStep, remember }: { secondStep: boolean; remember: boolean }, call) => {
    const begun = await dataOf(client.POST('/auth/sign-in/passkey/begin', { body: { secondStep }, ...call }))
    const body = { secondStep, remember, ...(await showPasskey(begun.publicKey)) }
    return dataOf(client.POST('/auth/sign-in/passkey', { body, ...call }))
  },
  learn: (queries, user) => changePerson(queries, user),
})

/** Adds a passkey; this lifts the restriction of a librarian who needed a second factor. */
export const addPasskey = action({
  name: 'addPasskey',
  send: async ({ name, ...proof }: AuthenticatorBegin & { name: string }, call) => {
    const begun = await dataOf(client.POST('/auth/passkeys', { body: proof, ...call }))
    const body = { name, ...(await makePasskey(begun.publicKey)) }
    return dataOf(client.POST('/auth/passkeys/confirm', { body, ...call }))
  },
  changes: () => [keys.mySecondFactor, keys.session],
})

export const removePasskey = action({
  name: 'removePasskey',
  send: ({ id, ...proof }: AuthenticatorBegin & { id: number }, call) =>
    dataOf(client.POST('/auth/passkeys/{id}/remove', { params: { path: { id } }, body: proof, ...call })),
  changes: () => [keys.mySecondFactor, keys.session],
})
