import { queryOptions } from '@tanstack/react-query'
import { client, dataOf } from './client'

/** What other catalogues say about a book. */
export const lookUpQuery = (isbn: string) =>
  queryOptions({
    // Kept out of keys.ts, because the sign-in page loads that file.
    queryKey: ['isbn-look-up', isbn] as const,
    queryFn: ({ signal }) => dataOf(client.GET('/isbn-look-ups/{isbn}', { params: { path: { isbn } }, signal })),
    // A source that failed was named; the librarian asks again.
    retry: false,
    staleTime: 60_000,
  })
