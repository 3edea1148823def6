import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { action, type Call } from './action'
import { client, dataOf } from './client'
import { keys } from './keys'
import { FIRST_PAGE, pageAfter } from './pages'
import type { Condition, Copy, CopyEdit, NewCopies } from './types'

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

/** Returned copies that are not yet on the shelf. */
export const toShelveQuery = infiniteQueryOptions({
  queryKey: keys.toShelve,
  queryFn: ({ pageParam, signal }) =>
    dataOf(
      client.GET('/copies', {
        params: {
          query: {
            state: 'to-shelve',
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

/** Copies reported as returned while others wait, and not checked in yet. */
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

/** The copy with this barcode; null if there is none. */
export const copyByBarcodeQuery = (barcode: string) =>
  queryOptions({
    queryKey: keys.copyByBarcode(barcode),
    queryFn: async ({ signal }) => {
      const { copies } = await dataOf(client.GET('/copies', { params: { query: { barcode } }, signal }))
      return copies[0] ?? null
    },
  })

export const addCopies = (bookId: number) =>
  action({
    send: (body: NewCopies, call) =>
      dataOf(client.POST('/books/{id}/copies', { params: { path: { id: bookId } }, body, ...call })),
    changes: () => [keys.books, keys.holds],
    fault: 'The copies could not be added',
  })

export const updateCopy = action({
  send: ({ id, edit }: { id: number; edit: CopyEdit }, call) =>
    dataOf(client.PATCH('/copies/{id}', { params: { path: { id } }, body: edit, ...call })),
  changes: () => [keys.books, keys.toShelve, keys.unseen, keys.holds, keys.people],
  fault: 'The copy could not be changed',
})

const move = (id: number, body: { state: Condition; note?: string }, call: Call) =>
  dataOf(client.POST('/copies/{id}/move', { params: { path: { id } }, body, ...call }))

/** Moves a copy; after a refusal the copies are reloaded too, since it was just lent or moved. */
export const moveCopy = action({
  send: ({ id, ...body }: { id: number; state: Condition; note?: string }, call) => move(id, body, call),
  changes: () => [keys.books, keys.toShelve, keys.unseen, keys.holds, keys.people],
  fault: 'The copy could not be moved',
  expected: ['copy-state'],
})

/** Result of a scanned barcode: unknown, or a copy that is on the shelf now or cannot go there. */
export type Shelving = { code: string; before: Copy; after: Copy | null } | { code: string; before: null; after: null }

/** Puts the copy with this barcode on the shelf. */
export const shelveScanned = action({
  async send(code: string, call): Promise<Shelving> {
    const { copies } = await dataOf(client.GET('/copies', { params: { query: { barcode: code } } }))
    const [before] = copies
    if (!before) return { code, before: null, after: null }
    if (before.state === 'on-shelf') return { code, before, after: before }
    if (before.state !== 'to-shelve') return { code, before, after: null }
    return { code, before, after: await move(before.id, { state: 'on-shelf' }, call) }
  },
  changes: () => [keys.books, keys.toShelve, keys.unseen, keys.holds, keys.people],
  fault: 'The copy could not be put on the shelf',
})

/** Shelves a portion of the waiting copies; an answer of zero means that none are left. */
export const shelvePortion = action({
  send: (_nothing: null, call) => dataOf(client.POST('/copies/shelve', call)),
  changes: () => [keys.books, keys.toShelve, keys.unseen, keys.holds, keys.people],
  fault: 'The copies could not be put on the shelf',
})
