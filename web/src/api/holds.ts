import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { action } from './action'
import { client, dataOf } from './client'
import { keys } from './keys'
import { FIRST_PAGE, pageAfter } from './pages'

const PER_PAGE = 50

const cursorOf = ({ cursor }: { cursor: string | null }) => (cursor === null ? {} : { cursor })

/** The caller's own holds: open ones, and the last ended ones. */
export const myHoldsQuery = queryOptions({
  queryKey: keys.myHolds,
  queryFn: ({ signal }) => dataOf(client.GET('/me/holds', { signal })),
})

/** Holds of a person, for a librarian. */
export const personHoldsQuery = (uid: number) =>
  queryOptions({
    queryKey: keys.personHolds(uid),
    queryFn: ({ signal }) => dataOf(client.GET('/people/{id}/holds', { params: { path: { id: uid } }, signal })),
  })

/** Queue of a title. */
export const lineQuery = (bookId: number) =>
  queryOptions({
    queryKey: keys.line(bookId),
    queryFn: ({ signal }) => dataOf(client.GET('/books/{id}/holds', { params: { path: { id: bookId } }, signal })),
  })

/** Copies kept for readers, first to expire at the top. */
export const readyHoldsQuery = infiniteQueryOptions({
  queryKey: keys.readyHolds,
  queryFn: ({ pageParam, signal }) =>
    dataOf(
      client.GET('/holds', { params: { query: { state: 'ready', limit: PER_PAGE, ...cursorOf(pageParam) } }, signal }),
    ),
  initialPageParam: FIRST_PAGE,
  getNextPageParam: (last, _pages, start) => pageAfter(last, start),
})

/** Number of copies kept for readers, for the navigation bar. */
export const readyCountQuery = queryOptions({
  queryKey: keys.readyCount,
  queryFn: async ({ signal }) => {
    const { ready } = await dataOf(client.GET('/holds', { params: { query: { limit: 1 } }, signal }))
    return ready
  },
  staleTime: 60_000,
})

/** Titles with waiting readers, longest queues first. */
export const wantedQuery = infiniteQueryOptions({
  queryKey: keys.wanted,
  queryFn: ({ pageParam, signal }) =>
    dataOf(client.GET('/holds/titles', { params: { query: { limit: PER_PAGE, ...cursorOf(pageParam) } }, signal })),
  initialPageParam: FIRST_PAGE,
  getNextPageParam: (last, _pages, start) => pageAfter(last, start),
})

/** Invalidated when a hold begins, moves or ends: lists of holds, the title's queue, and the kept copy. */
const EVERYTHING = [keys.holds, keys.myHolds, keys.books, keys.people, keys.toShelve]

/** The notices of one hold replace each other: a cancelled one is no longer reserved. */
const aboutHold = (id: number): string => `hold ${id}`

/** Places a hold; after a refusal the book is reloaded too, since a reader may have returned a copy. */
export const placeHold = action({
  name: 'placeHold',
  send: ({ bookId, person }: { bookId: number; person?: number }, call) =>
    dataOf(
      client.POST('/books/{id}/holds', {
        params: { path: { id: bookId } },
        body: person === undefined ? {} : { person },
        ...call,
      }),
    ),
  about: (_input, { id }) => aboutHold(id),
  changes: () => EVERYTHING,
  fault: 'The book could not be reserved',
  expected: ['refused'],
})

export const cancelHold = action({
  name: 'cancelHold',
  send: ({ id, reason = '' }: { id: number; reason?: string }, call) =>
    dataOf(client.DELETE('/holds/{id}', { params: { path: { id }, query: { reason } }, ...call })),
  about: ({ id }) => aboutHold(id),
  changes: () => EVERYTHING,
  fault: 'The hold could not be cancelled',
  expected: ['not-found'],
})

/** Cancels all reservations of a title that no copy can fill. */
export const cancelHoldsOfBook = action({
  name: 'cancelHoldsOfBook',
  send: ({ bookId, reason }: { bookId: number; reason: string }, call) =>
    dataOf(client.DELETE('/books/{id}/holds', { params: { path: { id: bookId }, query: { reason } }, ...call })),
  changes: () => EVERYTHING,
  fault: 'The reservations could not be cancelled',
  expected: ['invalid', 'not-found'],
})

/** Moves a hold to another place in the queue. */
export const moveHold = action({
  name: 'moveHold',
  send: ({ id, ...body }: { id: number; place: number; reason: string }, call) =>
    dataOf(client.POST('/holds/{id}/move', { params: { path: { id } }, body, ...call })),
  changes: () => EVERYTHING,
  fault: 'The line could not be changed',
  expected: ['invalid', 'not-found'],
})
