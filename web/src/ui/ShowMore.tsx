import { Alert, Button } from '@mantine/core'
import { t } from '../lib/messages'
import { messageOf } from '../lib/problem'

type ShowMoreProps = {
  /** A list that comes page by page. */
  query: {
    hasNextPage: boolean
    isFetchingNextPage: boolean
    isFetchNextPageError: boolean
    error: unknown
    fetchNextPage: () => Promise<unknown>
  }
  label: string
}

/** Below a list: brings its next page, while there is one, and says where the last try failed. */
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
