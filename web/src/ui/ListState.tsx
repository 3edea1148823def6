import { Alert, Skeleton } from '@mantine/core'
import type { ReactNode } from 'react'
import { t } from '../lib/messages'
import { messageOf } from '../lib/problem'
import { ErrorState } from './ErrorState'
import classes from './ListState.module.css'

type ListStateProps<Data> = {
  /** State of the list's query. */
  query: {
    data: Data | undefined
    isError: boolean
    /** A failure of the next page is shown at the end of the list instead (`ShowMore`). */
    isFetchNextPageError?: boolean
    error: unknown
    refetch: () => Promise<unknown>
  }
  /** Number of skeleton lines. */
  lines: number
  /** Sentence about a failed reload of what is shown, instead of the general one. */
  stale?: string
  children: (data: Data) => ReactNode
}

/** Shows a list's loading state or failure; a loaded list stays visible with the failure of its reload. */
export function ListState<Data>({ query, lines, stale, children }: ListStateProps<Data>) {
  const { data, isError, isFetchNextPageError = false, error, refetch } = query
  if (data === undefined) {
    return isError ? <ErrorState error={error} onRetry={() => void refetch()} /> : <Lines count={lines} />
  }
  return (
    <>
      {isError && !isFetchNextPageError && (
        <Alert color="red" role="alert" mb="md">
          {stale ?? t('list.stale', { reason: messageOf(error) })}
        </Alert>
      )}
      {children(data)}
    </>
  )
}

function Lines({ count }: { count: number }) {
  return (
    <div aria-hidden="true">
      {Array.from({ length: count }, (_, index) => (
        <div key={index} className={classes.line}>
          <Skeleton height={16} width="18%" />
          <Skeleton height={16} width="34%" />
          <Skeleton height={16} width="12%" />
          <Skeleton height={16} width="20%" />
        </div>
      ))}
    </div>
  )
}
