import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { action } from './action'
import { answerOf, client, dataOf } from './client'
import { keys } from './keys'
import type { BookForm, NewBook } from './types'

/** Orders of the book list. */
export const SORTS = ['title', 'popular', 'newest', 'author'] as const

export type BookSort = (typeof SORTS)[number]

/** Filters of the book list besides the search, its order, and the letters at which it begins (by title or author). */
export type Narrowing = { sort: BookSort; genre: string; available: boolean; from: string }

/** Returns whether a list in this order may begin at a letter. */
export const hasLetters = (sort: BookSort): boolean => sort === 'title' || sort === 'author'

export type BookFilter = { q: string; field: 'any' | 'title' } & Narrowing

/** All books, by title; with a search, the best match first. */
export const EVERY_BOOK: Narrowing = { sort: 'title', genre: '', available: false, from: '' }

/** Copies and waiting readers of the titles on a page, by id. */
export const bookCountsQuery = (ids: readonly number[]) =>
  queryOptions({
    // Below the books, so that what changes them invalidates the counts.
    queryKey: [...keys.books, 'counts', ids],
    queryFn: async ({ signal }) => {
      const query = { ids: ids.join(',') }
      const { counts } = await dataOf(client.GET('/books/counts', { params: { query }, signal }))
      return new Map(counts.map((one) => [one.id, one]))
    },
    staleTime: 30_000,
  })

/** Genres in the catalogue. */
export const genresQuery = queryOptions({
  queryKey: keys.genres,
  queryFn: async ({ signal }) => (await dataOf(client.GET('/genres', { signal }))).genres,
  staleTime: 10 * 60_000,
})

/** First few books that match a text while it is typed. */
export const bookHitsQuery = (q: string) =>
  queryOptions({
    queryKey: keys.bookHits(q),
    queryFn: ({ signal }) =>
      dataOf(client.GET('/books', { params: { query: { q, field: 'any', sort: 'title', limit: 6 } }, signal })),
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  })

/** Books whose title contains these words, to detect duplicates. */
export const sameTitleQuery = (title: string) =>
  queryOptions({
    queryKey: keys.booksTitled(title),
    queryFn: ({ signal }) =>
      dataOf(client.GET('/books', { params: { query: { q: title, field: 'title', limit: 50 } }, signal })),
  })

/** A few books by an author. */
export const byAuthorQuery = (author: string) =>
  queryOptions({
    queryKey: keys.booksBy(author),
    queryFn: ({ signal }) =>
      dataOf(client.GET('/books', { params: { query: { q: author, sort: 'newest', limit: 24 } }, signal })),
    staleTime: 10 * 60_000,
  })

/** Books that readers of one book also borrowed; counted once a week. */
export const alsoBorrowedQuery = (id: number) =>
  queryOptions({
    // Kept out of keys.ts, because the sign-in page loads that file.
    queryKey: [...keys.books, 'also-borrowed', id],
    queryFn: ({ signal }) => dataOf(client.GET('/books/{id}/also-borrowed', { params: { path: { id } }, signal })),
    staleTime: 10 * 60_000,
  })

/** One book, with the version for saving an edit. */
export const bookQuery = (id: number) =>
  queryOptions({
    queryKey: keys.book(id),
    queryFn: async ({ signal }) => {
      const { data, response } = await answerOf(client.GET('/books/{id}', { params: { path: { id } }, signal }))
      return { book: data, etag: response.headers.get('ETag') ?? '' }
    },
  })

export const addBook = action({
  name: 'addBook',
  send: (body: NewBook, call) => dataOf(client.POST('/books', { body, ...call })),
  changes: () => [keys.books],
  fault: 'Error adding book',
})

/** Saves an edit of the book as loaded (`etag`); fails with `stale` if another librarian saved the book meanwhile. */
export const updateBook = (id: number) =>
  action({
    name: `updateBook ${id}`,
    send: async ({ etag, body }: { etag: string; body: BookForm }, { headers }) => {
      const params = { path: { id }, header: { 'If-Match': etag } }
      const { data, response } = await answerOf(client.PUT('/books/{id}', { params, body, headers }))
      return { book: data, etag: response.headers.get('ETag') ?? '' }
    },
    learn: (queries, saved) => queries.setQueryData(keys.book(id), saved),
    // After a refusal the screen itself loads the saved book, beside the typed values.
    changes: (_input, saved) => (saved ? [keys.books] : []),
    fault: 'Error updating book',
    expected: ['stale', 'not-found'],
  })

/** Deletes a book; after a failure the lists are reloaded too, since the book may be gone already. */
export const deleteBook = action({
  name: 'deleteBook',
  send: (id: number, call) => dataOf(client.DELETE('/books/{id}', { params: { path: { id } }, ...call })),
  learn: (queries, _nothing, id) => queries.removeQueries({ queryKey: keys.book(id) }),
  changes: () => [keys.books],
  fault: 'Error deleting book',
})
