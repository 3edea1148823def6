import { queryOptions } from '@tanstack/react-query'
import { client, dataOf } from './client'
import { keys } from './keys'

// Apart from the other queries of books: the sign-in page needs nothing else of them.
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
