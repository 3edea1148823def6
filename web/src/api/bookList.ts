import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { EVERY_BOOK, genresQuery, hasLetters, type BookFilter, type Narrowing } from './books'
import { client, dataOf } from './client'
import { keys } from './keys'
import { FIRST_PAGE, MAX_PAGES, pageAfter, pageBefore } from './pages'

/**
 * Page size, divisible by every column count of the grid; a phone shows four books at once. Same in public/start.js.
 */
export const BOOKS_PER_PAGE = matchMedia('(max-width: 47.99em)').matches ? 12 : 60

/** All books for a student who has not searched: the most borrowed first (decision 370). Same in public/start.js. */
export const BROWSED: Narrowing = { ...EVERY_BOOK, sort: 'popular' }

/** Longest time, in milliseconds, that found books wait for the genres. */
const GENRES_MS = 1000

const queryOf = ({ q, field, sort, genre, available, from }: BookFilter) => ({
  ...(q && { q }),
  field,
  sort,
  ...(genre && { genre }),
  ...(available && { available }),
  ...(from && q === '' && hasLetters(sort) && { from }),
})

export const bookListQuery = (filter: BookFilter) =>
  infiniteQueryOptions({
    queryKey: keys.bookList(filter),
    queryFn: async ({ pageParam, signal, client: queries }) => {
      const [page] = await Promise.all([
        dataOf(
          client.GET('/books', {
            params: {
              query: {
                ...queryOf(filter),
                limit: BOOKS_PER_PAGE,
                ...(pageParam.cursor !== null && { cursor: pageParam.cursor }),
              },
            },
            signal,
          }),
        ),
        // A genre that the search names appears together with the books, so that it does not move them later.
        filter.q !== '' &&
          pageParam.cursor === null &&
          Promise.race([
            queries.ensureQueryData({ ...genresQuery, retry: false }).catch(() => null),
            new Promise((resolve) => setTimeout(resolve, GENRES_MS)),
          ]),
      ])
      return { ...page, filter }
    },
    initialPageParam: FIRST_PAGE,
    getNextPageParam: (last, _pages, start) => pageAfter(last, start),
    getPreviousPageParam: (first, _pages, start) => pageBefore(first, start),
    maxPages: MAX_PAGES,
    placeholderData: keepPreviousData,
    // Not the default, because requests are sent without a network too (`queryClient.ts`).
    refetchOnReconnect: true,
    staleTime: 30_000,
    gcTime: 30 * 60_000,
  })

/** Exact number of matches, for a list that counted only to a thousand. */
export const exactTotalQuery = (filter: BookFilter) =>
  queryOptions({
    queryKey: keys.exactTotal(filter),
    queryFn: async ({ signal }) => {
      const query = { ...queryOf(filter), limit: 1, exact: true }
      return (await dataOf(client.GET('/books', { params: { query }, signal }))).total
    },
    staleTime: 30_000,
  })
