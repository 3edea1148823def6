import { queryOptions } from '@tanstack/react-query'
import { action } from './action'
import { client, dataOf } from './client'
import { keys } from './keys'
import type { MailChoices, MailChoicesForm } from './types'

// Kept out of keys.ts, because the sign-in page loads that file.
const OWN = [...keys.me, 'mail-choices'] as const

/** Mail preferences of the user. */
export const myMailChoicesQuery = queryOptions({
  queryKey: OWN,
  queryFn: ({ signal }) => dataOf(client.GET('/me/mail-choices', { signal })),
})

/** Mails a new link that confirms the user's email address. */
export const sendAddressLink = action({
  name: 'sendAddressLink',
  send: (_input: null, call) => dataOf(client.POST('/me/address-link', { ...call })),
  fault: 'The link could not be sent',
})

export const saveMailChoices = action({
  name: 'saveMailChoices',
  send: (body: MailChoicesForm, call) => dataOf(client.PUT('/me/mail-choices', { body, ...call })),
  learn: (queries, saved: MailChoices) => queries.setQueryData(OWN, saved),
  fault: 'The choices about mail could not be saved',
})
