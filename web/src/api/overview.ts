import { queryOptions } from '@tanstack/react-query'
import { action } from './action'
import { client, dataOf } from './client'
import { keys } from './keys'

/** First steps of a new library, and today's work. */
export const overviewQuery = queryOptions({
  queryKey: keys.overview,
  queryFn: ({ signal }) => dataOf(client.GET('/overview', { signal })),
  refetchOnMount: 'always',
})

/** Hides the first steps for all librarians, or shows them again. */
export const showSteps = action({
  name: 'showSteps',
  send: (shown: boolean, call) => dataOf(client.PUT('/overview/steps', { body: { shown }, ...call })),
  changes: () => [keys.overview],
  fault: 'The first steps could not be hidden or shown',
})

/** Records a print of labels or cards, for the first steps. A failure does not matter. */
export const notePrinted = action({
  name: 'notePrinted',
  send: (_nothing: null, call) => dataOf(client.POST('/overview/printed', call)),
  changes: () => [keys.overview],
})
