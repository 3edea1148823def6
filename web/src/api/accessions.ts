import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { action } from './action'
import { client, dataOf } from './client'
import { keys } from './keys'
import { FIRST_PAGE, pageAfter } from './pages'
import type { AccessionForm, NewCopies } from './types'

/** First title with this ISBN, and its number of copies; null if no title has the ISBN. */
export const titleWithIsbnQuery = (isbn: string) =>
  queryOptions({
    queryKey: keys.withIsbn(isbn),
    queryFn: async ({ signal }) => {
      const query = { q: isbn, field: 'any', sort: 'title', limit: 6 } as const
      const { books } = await dataOf(client.GET('/books', { params: { query }, signal }))
      const id = books.find((book) => book.isbn === isbn)?.id
      return id === undefined ? null : dataOf(client.GET('/books/{id}', { params: { path: { id } }, signal }))
    },
  })

/** Titles without a description, newest first. */
export const notDescribedQuery = infiniteQueryOptions({
  queryKey: keys.notDescribed,
  queryFn: ({ pageParam, signal }) =>
    dataOf(
      client.GET('/accessions', {
        params: { query: pageParam.cursor === null ? {} : { cursor: pageParam.cursor } },
        signal,
      }),
    ),
  initialPageParam: FIRST_PAGE,
  getNextPageParam: (last, _pages, start) => pageAfter(last, start),
})

/** A new title, or copies of a title that is in the catalogue already. */
export type Accession = { known: { id: number; title: string } | null; book: AccessionForm; copies: NewCopies }

/** Adds the title, or the copies; returns the title and the number of copies added. */
export const addAccession = action({
  name: 'addAccession',
  send: async ({ known, book, copies }: Accession, call) => {
    if (known === null) {
      const added = await dataOf(client.POST('/accessions', { body: book, ...call }))
      return { title: added.title, copies: added.copies, isNew: true }
    }
    const params = { path: { id: known.id } }
    const added = await dataOf(client.POST('/books/{id}/copies', { params, body: copies, ...call }))
    return { title: known.title, copies: added.copies.length, isNew: false }
  },
  // Invalidated even after a refusal: another librarian may have just added the title.
  changes: () => [keys.books, keys.holds],
  fault: 'The book could not be added',
})
