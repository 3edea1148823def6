import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { action } from './action'
import { client, dataOf } from './client'
import { keys } from './keys'
import { FIRST_PAGE, pageAfter } from './pages'

const PER_PAGE = 50

const cursorOf = ({ cursor }: { cursor: string | null }) => (cursor === null ? {} : { cursor })

/** One's own holds: the open ones, and the last that ended. */
export const myHoldsQuery = queryOptions({
  queryKey: keys.myHolds,
  queryFn: ({ signal }) => dataOf(client.GET('/me/holds', { signal })),
})

/** The holds of a person, for a librarian. */
export const personHoldsQuery = (uid: number) =>
  queryOptions({
    queryKey: keys.personHolds(uid),
    queryFn: ({ signal }) => dataOf(client.GET('/people/{id}/holds', { params: { path: { id: uid } }, signal })),
  })

/** Who waits for a title, in line. */
export const lineQuery = (bookId: number) =>
  queryOptions({
    queryKey: keys.line(bookId),
    queryFn: ({ signal }) => dataOf(client.GET('/books/{id}/holds', { params: { path: { id: bookId } }, signal })),
  })

/** What is kept for readers, the first to expire at the top. */
export const readyHoldsQuery = infiniteQueryOptions({
  queryKey: keys.readyHolds,
  queryFn: ({ pageParam, signal }) =>
    dataOf(
      client.GET('/holds', { params: { query: { state: 'ready', limit: PER_PAGE, ...cursorOf(pageParam) } }, signal }),
    ),
  initialPageParam: FIRST_PAGE,
  getNextPageParam: (last, _pages, start) => pageAfter(last, start),
})

/** The titles that people wait for, the longest lines first. */
export const wantedQuery = infiniteQueryOptions({
  queryKey: keys.wanted,
  queryFn: ({ pageParam, signal }) =>
    dataOf(client.GET('/holds/titles', { params: { query: { limit: PER_PAGE, ...cursorOf(pageParam) } }, signal })),
  initialPageParam: FIRST_PAGE,
  getNextPageParam: (last, _pages, start) => pageAfter(last, start),
})

/** What a hold that begins, moves or ends changes: lists of holds, the line of its title, and the copy it kept. */
const EVERYTHING = [keys.holds, keys.myHolds, keys.books, keys.people, keys.toShelve]

/** Also after a refusal the book is read again: a copy has just come back. */
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
  changes: () => EVERYTHING,
  fault: 'The book could not be reserved',
  foreseen: ['refused'],
})

export const cancelHold = action({
  name: 'cancelHold',
  send: ({ id, reason = '' }: { id: number; reason?: string }, call) =>
    dataOf(client.DELETE('/holds/{id}', { params: { path: { id }, query: { reason } }, ...call })),
  changes: () => EVERYTHING,
  fault: 'The hold could not be cancelled',
  foreseen: ['not-found'],
})

/** Moves somebody to another place in the line. */
export const moveHold = action({
  name: 'moveHold',
  send: ({ id, ...body }: { id: number; place: number; reason: string }, call) =>
    dataOf(client.POST('/holds/{id}/move', { params: { path: { id } }, body, ...call })),
  changes: () => EVERYTHING,
  fault: 'The line could not be changed',
  foreseen: ['invalid', 'not-found'],
})
