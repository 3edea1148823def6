import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { action } from './action'
import { client, dataOf } from './client'
import { keys } from './keys'
import { FIRST_PAGE, pageAfter } from './pages'
import type { MailState } from './types'

/** Filter of the mails. */
export type MailFilter = { state?: MailState }

/** Mails of the last thirty days, newest first. */
export const mailsQuery = (filter: MailFilter) =>
  infiniteQueryOptions({
    queryKey: keys.mailList(filter),
    queryFn: ({ pageParam, signal }) =>
      dataOf(
        client.GET('/mails', {
          params: { query: { ...filter, ...(pageParam.cursor !== null && { cursor: pageParam.cursor }) } },
          signal,
        }),
      ),
    initialPageParam: FIRST_PAGE,
    getNextPageParam: (last, _pages, start) => pageAfter(last, start),
    placeholderData: keepPreviousData,
  })

export const stopMail = action({
  name: 'stopMail',
  send: (id: number, call) => dataOf(client.POST('/mails/{id}/stop', { params: { path: { id } }, ...call })),
  changes: () => [keys.mails],
  fault: 'The mail could not be stopped',
})

export const sendMailAgain = action({
  name: 'sendMailAgain',
  send: (id: number, call) => dataOf(client.POST('/mails/{id}/again', { params: { path: { id } }, ...call })),
  changes: () => [keys.mails],
  fault: 'The mail could not be sent again',
})

/** Sends all mails again that failed on a day. */
export const sendDayAgain = action({
  name: 'sendDayAgain',
  send: (day: string, call) => dataOf(client.POST('/mails/again', { body: { day }, ...call })),
  changes: () => [keys.mails],
  fault: 'The mails could not be sent again',
})

/** Mails of tomorrow's reminders, as of now. */
export const mailPlanQuery = queryOptions({
  // Kept out of keys.ts, because the sign-in page loads that file.
  queryKey: [...keys.mails, 'tomorrow'],
  queryFn: ({ signal }) => dataOf(client.GET('/mails/tomorrow', { signal })),
})
