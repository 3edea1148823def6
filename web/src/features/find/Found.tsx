import { Alert, Text } from '@mantine/core'
import type { ComponentProps } from 'react'
import { messageOf } from '../../lib/problem'
import { Hits } from '../../ui/Hits'

type FoundProps = ComponentProps<typeof Hits> & {
  /** Said once a search has found nothing; null before it is answered. */
  none: string | null
  /** Error of the search; null if it did not fail. */
  error: unknown
}

/** What a search under its field has found. */
export function Found({ none, error, ...hits }: FoundProps) {
  return (
    <>
      {none !== null && hits.hits.length === 0 && (
        <Text mt="md" role="status">
          {none}
        </Text>
      )}
      {hits.hits.length > 0 && <Hits {...hits} />}
      {error !== null && (
        <Alert color="red" role="alert" mt="md">
          {messageOf(error)}
        </Alert>
      )}
    </>
  )
}
