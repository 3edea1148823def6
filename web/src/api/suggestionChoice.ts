import { queryOptions } from '@tanstack/react-query'
import { action } from './action'
import { client, dataOf } from './client'
import { keys } from './keys'
import type { SuggestionChoice, SuggestionChoiceForm } from './types'

// Kept out of keys.ts, because the sign-in page loads that file.
const OWN = [...keys.me, 'suggestions'] as const

/** Says whether the user's loans count for suggestions. */
export const mySuggestionChoiceQuery = queryOptions({
  queryKey: OWN,
  queryFn: ({ signal }) => dataOf(client.GET('/me/suggestions', { signal })),
})

export const saveSuggestionChoice = action({
  name: 'saveSuggestionChoice',
  send: (body: SuggestionChoiceForm, call) => dataOf(client.PUT('/me/suggestions', { body, ...call })),
  learn: (queries, saved: SuggestionChoice) => queries.setQueryData(OWN, saved),
  fault: 'The choice about suggestions could not be saved',
})
