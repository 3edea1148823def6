import { queryOptions, useQuery } from '@tanstack/react-query'
import { client, dataOf } from './client'
import { configQuery } from './config'
import { keys } from './keys'

const batchesQuery = queryOptions({
  queryKey: [...keys.people, 'batches'],
  queryFn: ({ signal }) => dataOf(client.GET('/people/batches', { signal })),
  staleTime: 60_000,
})

/** Batches to choose from, for librarians: those of the settings, and, once loaded, those that only people have. */
export function useBatches(): string[] {
  const ofSettings = useQuery(configQuery).data?.batches
  const all = useQuery(batchesQuery).data?.batches
  return all ?? ofSettings ?? []
}
