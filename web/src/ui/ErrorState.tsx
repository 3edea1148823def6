import { Button, Text } from '@mantine/core'
import { t } from '../lib/messages'
import { messageOf } from '../lib/problem'
import classes from './EmptyState.module.css'

/** Replaces content that failed to load: the reason and a retry button. */
export function ErrorState({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  return (
    <div className={classes.state} role="alert">
      <Text size="lg">{messageOf(error)}</Text>
      <Button variant="default" onClick={onRetry}>
        {t('common.retry')}
      </Button>
    </div>
  )
}
