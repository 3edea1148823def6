import { queryOptions } from '@tanstack/react-query'
import { action } from './action'
import { client, dataOf } from './client'
import { keys } from './keys'
import type { MailChoices, MailChoicesForm } from './types'

// Here and not among the others, which the sign-in page loads.
const OWN = [...keys.me, 'mail-choices'] as const

/** Own choices about mail. */
export const myMailChoicesQuery = queryOptions({
  queryKey: OWN,
  queryFn: ({ signal }) => dataOf(client.GET('/me/mail-choices', { signal })),
})

export const saveMailChoices = action({
  name: 'saveMailChoices',
  send: (body: MailChoicesForm, call) => dataOf(client.PUT('/me/mail-choices', { body, ...call })),
  learn: (queries, saved: MailChoices) => queries.setQueryData(OWN, saved),
  fault: 'The choices about mail could not be saved',
})
