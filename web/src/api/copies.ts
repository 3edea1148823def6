import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { action } from './action'
import { client, dataOf } from './client'
import { keys } from './keys'
import { everyPage, FIRST_PAGE, pageAfter } from './pages'
import type { Condition, Copy, CopyEdit, CopyState, ListedCopy, NewCopies } from './types'

const COPIES_PER_PAGE = 50

/** Copies of a title in the order in which they were added; every page has the counts by state. */
export const copiesQuery = (bookId: number) =>
  infiniteQueryOptions({
    queryKey: keys.copies(bookId),
    queryFn: ({ pageParam, signal }) =>
      dataOf(
        client.GET('/books/{id}/copies', {
          params: {
            path: { id: bookId },
            query: { limit: COPIES_PER_PAGE, ...(pageParam.cursor !== null && { cursor: pageParam.cursor }) },
          },
          signal,
        }),
      ),
    initialPageParam: FIRST_PAGE,
    getNextPageParam: (last, _pages, start) => pageAfter(last, start),
  })

/** Copies in a state that is neither on the shelf nor on loan. */
export const copiesInQuery = (state: CopyState) =>
  infiniteQueryOptions({
    queryKey: [...keys.copyLists, state],
    queryFn: ({ pageParam, signal }) =>
      dataOf(
        client.GET('/copies', {
          params: {
            query: {
              state,
              limit: COPIES_PER_PAGE,
              ...(pageParam.cursor !== null && { cursor: pageParam.cursor }),
            },
          },
          signal,
        }),
      ),
    initialPageParam: FIRST_PAGE,
    getNextPageParam: (last, _pages, start) => pageAfter(last, start),
  })

/** Reads all copies in a state. */
export async function everyCopyIn(state: CopyState): Promise<ListedCopy[]> {
  const pages = await everyPage((cursor) =>
    dataOf(client.GET('/copies', { params: { query: { state, limit: 100, ...(cursor !== null && { cursor }) } } })),
  )
  return pages.flatMap(({ copies }) => copies)
}

/** Copies reported as returned while other readers wait for them, and not checked in yet. */
export const unseenQuery = infiniteQueryOptions({
  queryKey: keys.unseen,
  queryFn: ({ pageParam, signal }) =>
    dataOf(
      client.GET('/copies', {
        params: {
          query: {
            state: 'unseen',
            limit: COPIES_PER_PAGE,
            ...(pageParam.cursor !== null && { cursor: pageParam.cursor }),
          },
        },
        signal,
      }),
    ),
  initialPageParam: FIRST_PAGE,
  getNextPageParam: (last, _pages, start) => pageAfter(last, start),
})

/** Copy with this barcode; null if no copy has it. */
export const copyByBarcodeQuery = (barcode: string) =>
  queryOptions({
    queryKey: keys.copyByBarcode(barcode),
    queryFn: async ({ signal }) => {
      const { copies } = await dataOf(client.GET('/copies', { params: { query: { barcode } }, signal }))
      return copies[0] ?? null
    },
  })

/** Queries that moving a copy invalidates. */
export const INVALIDATED_BY_MOVE = [
  keys.books,
  keys.copyLists,
  keys.toShelve,
  keys.unseen,
  keys.overview,
  keys.holds,
  keys.people,
]

export const addCopies = (bookId: number) =>
  action({
    name: `addCopies ${bookId}`,
    send: (body: NewCopies, call) =>
      dataOf(client.POST('/books/{id}/copies', { params: { path: { id: bookId } }, body, ...call })),
    changes: () => [keys.books, keys.holds],
    fault: 'The copies could not be added',
  })

export const updateCopy = action({
  name: 'updateCopy',
  send: ({ id, edit }: { id: number; edit: CopyEdit }, call) =>
    dataOf(client.PATCH('/copies/{id}', { params: { path: { id } }, body: edit, ...call })),
  changes: () => INVALIDATED_BY_MOVE,
  fault: 'The copy could not be changed',
})

/** Moves a copy; after a refusal the copies are reloaded too, since another librarian may have lent or moved the copy. */
export const moveCopy = action({
  name: 'moveCopy',
  send: ({ id, ...body }: { id: number; state: Condition; note?: string }, call) =>
    dataOf(client.POST('/copies/{id}/move', { params: { path: { id } }, body, ...call })),
  changes: () => INVALIDATED_BY_MOVE,
  fault: 'The copy could not be moved',
  expected: ['copy-state'],
})

/** Returns the copy with this barcode, or null. */
export async function findCopy(barcode: string, signal: AbortSignal): Promise<Copy | null> {
  const { copies } = await dataOf(client.GET('/copies', { params: { query: { barcode } }, signal }))
  return copies[0] ?? null
}

/** Puts a copy on the shelf. */
export const shelveCopy = (id: number, key: string, signal: AbortSignal): Promise<Copy> =>
  dataOf(
    client.POST('/copies/{id}/move', {
      params: { path: { id } },
      body: { state: 'on-shelf' },
      headers: { 'Idempotency-Key': key },
      signal,
    }),
  )

/** Shelves a batch of the waiting copies; the response 0 means that none are left. */
export const shelvePortion = action({
  name: 'shelvePortion',
  send: (_nothing: null, call) => dataOf(client.POST('/copies/shelve', call)),
  changes: () => INVALIDATED_BY_MOVE,
  fault: 'The copies could not be put on the shelf',
})
