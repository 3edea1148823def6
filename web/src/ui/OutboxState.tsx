import { Button } from '@mantine/core'
import { Check, CircleAlert } from 'lucide-react'
import { useEffect, useState } from 'react'
import type { Entry, LineState } from '../lib/outbox'
import { t } from '../lib/messages'
import classes from './OutboxState.module.css'

/** Time for which the tick of a bounce is shown, milliseconds. */
const TICK_MS = 1000

const NONE: readonly string[] = []

type StatusLineProps = {
  waiting: readonly Entry<unknown>[]
  line: LineState
  /** Codes held back while a form is open. */
  held?: readonly string[]
  /** Last code that was ignored as a bounce of the scanner's trigger. */
  bounced: { code: string; at: number } | null
}

/** Line of fixed height below a box: tasks waiting for the server, and a tick for a bounce (R-SEAM-2, R-SEAM-5). */
export function StatusLine({ waiting, line, held = NONE, bounced }: StatusLineProps) {
  const isTick = useMoment(bounced?.at, TICK_MS)
  const labels = waiting.filter(({ isVolatile }) => !isVolatile).map(({ label }) => label)
  return (
    <p
      className={classes.line}
      role="status"
      dir="auto"
      data-tick={isTick || undefined}
      data-waiting={(!isTick && line !== 'clear') || undefined}
    >
      {isTick && bounced ? (
        <>
          <Check data-size="18" aria-hidden /> {t('outbox.bounced', { code: bounced.code })}
        </>
      ) : held.length > 0 ? (
        t('outbox.held', { list: held.join(', ') })
      ) : line !== 'clear' && labels.length > 0 ? (
        t('outbox.waiting', { list: labels.join(', ') })
      ) : null}
    </p>
  )
}

/** Returns true for `ms` milliseconds after `at` changes. */
function useMoment(at: number | undefined, ms: number): boolean {
  const [over, setOver] = useState<number | undefined>(undefined)
  useEffect(() => {
    if (at === undefined) return undefined
    const timer = setTimeout(() => setOver(at), ms)
    return () => clearTimeout(timer)
  }, [at, ms])
  return at !== undefined && over !== at
}

type UnknownTasksProps = {
  entries: readonly Entry<unknown>[]
  /** Names a task, by default by its label. */
  wordsOf?: (entry: Entry<unknown>) => string
  onTryAgain: (key: string) => void
  onSetAside: (key: string) => void
}

const labelOf = ({ label }: Entry<unknown>): string => label

/** Tasks with an unknown outcome, with their buttons. */
export function UnknownTasks({ entries, wordsOf = labelOf, onTryAgain, onSetAside }: UnknownTasksProps) {
  if (entries.length === 0) return null
  return (
    <section className={classes.unknown} aria-labelledby="unknown-tasks" role="alert">
      <h2 id="unknown-tasks" className={classes.title}>
        <CircleAlert aria-hidden /> {t('outbox.unknown')}
      </h2>
      <p>{t('outbox.unknownWhat')}</p>
      <ul>
        {entries.map((entry) => {
          const { key, label } = entry
          return (
            <li key={key}>
              <span className={classes.label} dir="auto">
                {wordsOf(entry)}
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
          )
        })}
      </ul>
    </section>
  )
}
