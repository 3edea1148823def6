import { Alert, Text } from '@mantine/core'
import type { ComponentProps } from 'react'
import { messageOf } from '../../lib/problem'
import { Hits } from '../../ui/Hits'

type FoundProps = ComponentProps<typeof Hits> & {
  /** Text for a search without results; null until the search is answered. */
  none: string | null
  /** Error of the search; null if it did not fail. */
  error: unknown
}

/** Results of a search, below the search field. */
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
