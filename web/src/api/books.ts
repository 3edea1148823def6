import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query'
import { answerOf, client, dataOf } from './client'
import { keys } from './keys'
import { FIRST_PAGE, MAX_PAGES, pageAfter, pageBefore } from './pages'
import type { BookForm } from './types'

/** Divisible by every number of columns that the grid uses. */
export const BOOKS_PER_PAGE = 60

export type BookFilter = { q: string; field: 'any' | 'title'; sort: 'title' | 'newest' }

export const bookListQuery = (filter: BookFilter) =>
  infiniteQueryOptions({
    queryKey: keys.bookList(filter),
    queryFn: ({ pageParam, signal }) =>
      dataOf(
        client.GET('/books', {
          params: {
            query: {
              ...(filter.q && { q: filter.q }),
              field: filter.field,
              sort: filter.sort,
              limit: BOOKS_PER_PAGE,
              ...(pageParam.cursor !== null && { cursor: pageParam.cursor }),
            },
          },
          signal,
        }),
      ),
    initialPageParam: FIRST_PAGE,
    getNextPageParam: (last, _pages, start) => pageAfter(last, start),
    getPreviousPageParam: (first, _pages, start) => pageBefore(first, start),
    maxPages: MAX_PAGES,
    placeholderData: keepPreviousData,
    staleTime: 30_000,
    gcTime: 30 * 60_000,
  })

const newestQuery = (limit: number) =>
  queryOptions({
    queryKey: keys.newestBooks(limit),
    queryFn: ({ signal }) => dataOf(client.GET('/books', { params: { query: { sort: 'newest', limit } }, signal })),
    staleTime: 10 * 60_000,
  })

/** A handful of new books, for the picture made of their covers on the sign-in page. */
export const coverWallQuery = newestQuery(15)

/** The new books out of which the student home picks its slides. */
export const highlightsQuery = newestQuery(60)

/** One book with the version that an edit of it must name. */
export const bookQuery = (id: number) =>
  queryOptions({
    queryKey: keys.book(id),
    queryFn: async ({ signal }) => {
      const { data, response } = await answerOf(client.GET('/books/{id}', { params: { path: { id } }, signal }))
      return { book: data, etag: response.headers.get('ETag') ?? '' }
    },
  })

function useInvalidateBooks() {
  const queries = useQueryClient()
  return () => queries.invalidateQueries({ queryKey: keys.books })
}

export function useAddBook() {
  const invalidate = useInvalidateBooks()
  return useMutation({
    mutationFn: (body: BookForm) => dataOf(client.POST('/books', { body })),
    onSuccess: () => void invalidate(),
  })
}

/** Saves an edit of the book as it was loaded (`etag`); a later edit by somebody else makes it fail with `stale`. */
export function useUpdateBook(id: number) {
  const queries = useQueryClient()
  const invalidate = useInvalidateBooks()
  return useMutation({
    mutationFn: async ({ etag, body }: { etag: string; body: BookForm }) => {
      const { data, response } = await answerOf(
        client.PUT('/books/{id}', { params: { path: { id }, header: { 'If-Match': etag } }, body }),
      )
      return { book: data, etag: response.headers.get('ETag') ?? '' }
    },
    onSuccess: (saved) => {
      queries.setQueryData(keys.book(id), saved)
      void invalidate()
    },
  })
}

export function useDeleteBook() {
  const queries = useQueryClient()
  const invalidate = useInvalidateBooks()
  return useMutation({
    mutationFn: (id: number) => dataOf(client.DELETE('/books/{id}', { params: { path: { id } } })),
    onSuccess: (_nothing, id) => {
      queries.removeQueries({ queryKey: keys.book(id) })
      return invalidate()
    },
  })
}
