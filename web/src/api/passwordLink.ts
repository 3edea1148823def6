import { queryOptions } from '@tanstack/react-query'
import { client, dataOf } from './client'

/** Checks a reset link; fails with `invalid-link` if it is used, replaced or expired. */
export const linkQuery = (token: string) =>
  queryOptions({
    queryKey: ['reset-link', token],
    queryFn: ({ signal }) => dataOf(client.POST('/auth/reset/check', { body: { token }, signal })),
    retry: false,
    // Not asked again once the link is used.
    staleTime: Infinity,
    gcTime: 0,
  })
