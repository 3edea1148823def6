import { queryOptions } from '@tanstack/react-query'
import { client, dataOf } from './client'

/** Data of other catalogues about a book. */
export const lookUpQuery = (isbn: string) =>
  queryOptions({
    // Kept out of keys.ts, because the sign-in page loads that file.
    queryKey: ['isbn-look-up', isbn] as const,
    queryFn: ({ signal }) => dataOf(client.GET('/isbn-look-ups/{isbn}', { params: { path: { isbn } }, signal })),
    // The answer names the sources that failed, and the librarian decides about a retry.
    retry: false,
    staleTime: 60_000,
  })
