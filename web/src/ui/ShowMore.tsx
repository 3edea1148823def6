import { Alert, Button } from '@mantine/core'
import { t } from '../lib/messages'
import { messageOf } from '../lib/problem'

type ShowMoreProps = {
  /** Infinite query of the list. */
  query: {
    hasNextPage: boolean
    isFetchingNextPage: boolean
    isFetchNextPageError: boolean
    error: unknown
    fetchNextPage: () => Promise<unknown>
  }
  label: string
}

/** Loads the next page of a list, and shows the failure of the last try. */
export function ShowMore({ query, label }: ShowMoreProps) {
  if (!query.hasNextPage) return null
  return (
    <>
      {query.isFetchNextPageError && (
        <Alert color="red" role="alert" mt="md">
          {t('list.moreFailed', { reason: messageOf(query.error) })}
        </Alert>
      )}
      <Button variant="default" mt="md" loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
        {label}
      </Button>
    </>
  )
}
