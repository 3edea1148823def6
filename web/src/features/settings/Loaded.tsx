import { Skeleton } from '@mantine/core'
import { useQuery, useQueryClient, type UseQueryOptions } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Saved } from '../../api/settings'
import { ErrorState } from '../../ui/ErrorState'
import type { Part } from './useSettingsForm'

type LoadedProps<D> = {
  // oxlint-disable-next-line typescript/no-explicit-any -- every query has a key type of its own
  query: UseQueryOptions<Saved<D>, Error, Saved<D>, any>
  children: (part: Part<D>) => ReactNode
}

/** Loads the document before its form is shown: an edit begins from the saved values, never from cached ones. */
export function Loaded<D>({ query, children }: LoadedProps<D>) {
  const queries = useQueryClient()
  const { data, error, refetch, isFetchedAfterMount } = useQuery({
    ...query,
    refetchOnMount: 'always',
    refetchOnWindowFocus: false,
  })
  if (error && !data) return <ErrorState error={error} onRetry={() => void refetch()} />
  if (!data || !isFetchedAfterMount) {
    return (
      <div aria-hidden="true">
        <Skeleton height={28} width="12rem" mb="lg" />
        <Skeleton height={240} />
      </div>
    )
  }
  return children({
    loaded: data,
    loadAgain: () => queries.fetchQuery({ ...query, staleTime: 0 }),
  })
}
