import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { client, dataOf } from './client'
import { keys } from './keys'
import { FIRST_PAGE, pageAfter } from './pages'
import type { ClosingForm } from './types'

/** Money taken, paid out and reversed since the last closing. */
export const tillQuery = queryOptions({
  queryKey: keys.till,
  queryFn: ({ signal }) => dataOf(client.GET('/till', { signal })),
  staleTime: 0,
})

export const closingQuery = (number: number) =>
  queryOptions({
    queryKey: keys.closing(number),
    queryFn: ({ signal }) => dataOf(client.GET('/till/closings/{id}', { params: { path: { id: number } }, signal })),
  })

/** Closings, newest first. */
export const closingsQuery = infiniteQueryOptions({
  queryKey: keys.closings,
  queryFn: ({ pageParam: { cursor }, signal }) =>
    dataOf(client.GET('/till/closings', { params: { query: cursor === null ? {} : { cursor } }, signal })),
  initialPageParam: FIRST_PAGE,
  getNextPageParam: (last, _pages, start) => pageAfter(last, start),
  staleTime: 0,
})

export const closeDay = (body: ClosingForm, key: string, signal: AbortSignal) =>
  dataOf(client.POST('/till/closings', { body, signal, headers: { 'Idempotency-Key': key } }))
