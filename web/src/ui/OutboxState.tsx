import { Button } from '@mantine/core'
import { CircleAlert } from 'lucide-react'
import type { Entry, LineState } from '../lib/outbox'
import { t } from '../lib/messages'
import classes from './OutboxState.module.css'

type WaitingLineProps = { entries: readonly { label: string }[]; line: LineState }

/** Names what waits for the server, once that takes longer than a moment (R-SEAM-2). */
export function WaitingLine({ entries, line }: WaitingLineProps) {
  const labels = entries.map(({ label }) => label).filter((label) => label !== '')
  if (line === 'clear' || labels.length === 0) return null
  return (
    <span className={classes.names} dir="auto">
      {t('outbox.waiting', { list: labels.join(', ') })}
    </span>
  )
}

type UnknownTasksProps = {
  entries: readonly Entry<unknown>[]
  onTryAgain: (key: string) => void
  onSetAside: (key: string) => void
}

/** Tasks that the server failed to answer three times. */
export function UnknownTasks({ entries, onTryAgain, onSetAside }: UnknownTasksProps) {
  if (entries.length === 0) return null
  return (
    <section className={classes.unknown} aria-labelledby="unknown-tasks" role="alert">
      <h2 id="unknown-tasks" className={classes.title}>
        <CircleAlert aria-hidden /> {t('outbox.unknown')}
      </h2>
      <p>{t('outbox.unknownWhat')}</p>
      <ul>
        {entries.map(({ key, label }) => (
          <li key={key}>
            <span className={classes.label} dir="auto">
              {label}
            </span>
            <Button
              variant="default"
              size="compact-sm"
              h={34}
              aria-label={t('outbox.named', { action: t('outbox.tryAgain'), label })}
              onClick={() => onTryAgain(key)}
            >
              {t('outbox.tryAgain')}
            </Button>
            <Button
              variant="subtle"
              size="compact-sm"
              h={34}
              aria-label={t('outbox.named', { action: t('outbox.setAside'), label })}
              onClick={() => onSetAside(key)}
            >
              {t('outbox.setAside')}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  )
}
