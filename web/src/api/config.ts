import { queryOptions } from '@tanstack/react-query'
import { client, dataOf } from './client'
import { keys } from './keys'

/** What the library has set that every screen shows: its name, its money, its rules in short, its batches. */
export const configQuery = queryOptions({
  queryKey: keys.config,
  queryFn: ({ signal }) => dataOf(client.GET('/config', { signal })),
  staleTime: 60_000,
})
