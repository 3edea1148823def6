import { queryOptions } from '@tanstack/react-query'
import { client, dataOf } from './client'
import { keys } from './keys'

// Separate from the other queries of books, because the sign-in page needs only this one.
const newestQuery = (limit: number) =>
  queryOptions({
    queryKey: keys.newestBooks(limit),
    queryFn: ({ signal }) => dataOf(client.GET('/books', { params: { query: { sort: 'newest', limit } }, signal })),
    staleTime: 10 * 60_000,
  })

/** New books for the cover wall of the sign-in page. */
export const coverWallQuery = newestQuery(15)

/** New books from which the student home picks its slides. */
export const highlightsQuery = newestQuery(60)
