import { queryOptions } from '@tanstack/react-query'
import { action } from './action'
import { client, dataOf } from './client'
import { keys } from './keys'
import type { CalendarLink, NewCalendarLink } from './types'

// Kept out of keys.ts, because the sign-in page loads that file.
const OWN = [...keys.me, 'calendar-link'] as const

/** The user's calendar link, without its address. */
export const myCalendarLinkQuery = queryOptions({
  queryKey: OWN,
  queryFn: ({ signal }) => dataOf(client.GET('/me/calendar-link', { signal })),
})

export const makeCalendarLink = action({
  name: 'makeCalendarLink',
  send: (_nothing: null, call) => dataOf(client.POST('/me/calendar-link', call)),
  learn: (queries, { madeAt }: NewCalendarLink) => queries.setQueryData<CalendarLink>(OWN, { madeAt }),
  fault: 'The calendar link could not be made',
})

export const endCalendarLink = action({
  name: 'endCalendarLink',
  send: (_nothing: null, call) => dataOf(client.DELETE('/me/calendar-link', call)),
  learn: (queries) => queries.setQueryData<CalendarLink>(OWN, { madeAt: null }),
  fault: 'The calendar link could not be ended',
})
