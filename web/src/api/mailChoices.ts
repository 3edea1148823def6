import { queryOptions } from '@tanstack/react-query'
import { action } from './action'
import { client, dataOf } from './client'
import { keys } from './keys'
import type { MailChoices, MailChoicesForm, Notice } from './types'

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

type Kind = Notice['kind']

/** Ways in which notices of a kind come. */
export type Way = 'at-once' | 'digest' | 'off'

/** One change of the preferences. */
export type MailChoice = { kind: Kind; way: Way } | { weekly: boolean } | { language: string | null }

/** Returns the preferences with one change. A change that they have already gives the same request. */
function changed({ language, refused, inDigest, weekly }: MailChoices, choice: MailChoice): MailChoicesForm {
  const kept = { language, refused, inDigest, weekly }
  if (!('kind' in choice)) return { ...kept, ...choice }
  const { kind, way } = choice
  const without = (kinds: readonly Kind[]) => kinds.filter((one) => one !== kind)
  return {
    ...kept,
    refused: way === 'off' ? [...without(refused), kind] : without(refused),
    // A kind that is turned off keeps its way for the day on which it is turned on again.
    inDigest: { 'at-once': without(inDigest), digest: [...without(inDigest), kind], off: inDigest }[way],
  }
}

export const saveMailChoice = action({
  name: 'saveMailChoice',
  // Reads the preferences first, so that a page that has been open for long takes back no newer choice of another tab.
  send: async (choice: MailChoice, call) => {
    const now = await dataOf(client.GET('/me/mail-choices'))
    return dataOf(client.PUT('/me/mail-choices', { body: changed(now, choice), ...call }))
  },
  learn: (queries, saved: MailChoices) => queries.setQueryData(OWN, saved),
  fault: 'The choices about mail could not be saved',
})
