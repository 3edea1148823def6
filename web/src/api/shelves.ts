import { queryOptions } from '@tanstack/react-query'
import { client, dataOf } from './client'
import { keys } from './keys'

/** Books of the student home's shelves. */
export const shelvesQuery = queryOptions({
  queryKey: keys.shelves,
  queryFn: ({ signal }) => dataOf(client.GET('/shelves', { signal })),
  staleTime: 60_000,
})
