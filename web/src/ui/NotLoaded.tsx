import { Button, Stack, Text } from '@mantine/core'
import { scrollHere } from '../lib/focus'
import { t } from '../lib/messages'

/** Shown in place of a part of a screen whose code could not be loaded. */
export function NotLoaded({ message, onRetry }: { message: string; onRetry: () => void }) {
  return (
    <Stack ref={scrollHere} gap="xs" align="flex-start">
      <Text role="alert">{message}</Text>
      <Button variant="default" size="sm" onClick={onRetry}>
        {t('common.retry')}
      </Button>
    </Stack>
  )
}
