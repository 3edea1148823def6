import { Button, Text } from '@mantine/core'
import { useEffect, useEffectEvent } from 'react'
import { t } from '../lib/messages'
import { messageOf, ProblemError } from '../lib/problem'
import classes from './EmptyState.module.css'

/** Pause before content is loaded again without a press, milliseconds. */
const AGAIN_MS = 15_000

/**
 * Replaces content that failed to load: the reason and a retry button. A failure that may pass is tried again by itself,
 * at intervals and as soon as the browser has a network.
 */
export function ErrorState({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  // A status of 0: the server was not reached.
  const mayPass = !(error instanceof ProblemError) || error.status === 0 || error.status >= 500
  const tryAgain = useEffectEvent(() => {
    if (document.visibilityState === 'visible') onRetry()
  })
  useEffect(() => {
    if (!mayPass) return
    const timer = setInterval(tryAgain, AGAIN_MS)
    addEventListener('online', tryAgain)
    return () => {
      clearInterval(timer)
      removeEventListener('online', tryAgain)
    }
  }, [mayPass])
  return (
    <div className={classes.state} role="alert">
      <Text size="lg">{messageOf(error)}</Text>
      <Button variant="default" onClick={onRetry}>
        {t('common.retry')}
      </Button>
    </div>
  )
}
