import { Button } from '@mantine/core'

type ShowMoreProps = {
  /** A list that comes page by page. */
  query: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => Promise<unknown> }
  label: string
}

/** Below a list: brings its next page, while there is one. */
export function ShowMore({ query, label }: ShowMoreProps) {
  if (!query.hasNextPage) return null
  return (
    <Button variant="default" mt="md" loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
      {label}
    </Button>
  )
}
