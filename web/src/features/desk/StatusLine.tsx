import { Check } from 'lucide-react'
import { useEffect, useState } from 'react'
import type { DeskState } from '../../counter/queue'
import { t } from '../../lib/messages'
import { WaitingLine } from '../../ui/OutboxState'
import classes from './Desk.module.css'

/** How long a bounce is told. */
const TICK_MS = 1000

/** One line below the box, which keeps its height: what waits, and a tick for a code that was read twice. */
export function StatusLine({ waiting, line, held, bounced }: Pick<DeskState, 'waiting' | 'line' | 'held' | 'bounced'>) {
  const isTick = useMoment(bounced?.at, TICK_MS)
  return (
    <p className={classes.line} role="status">
      {isTick && bounced ? (
        <>
          <Check data-size="18" aria-hidden /> {t('desk.screen.bounced', { code: bounced.code })}
        </>
      ) : held.length > 0 ? (
        t('desk.screen.held', { list: held.join(', ') })
      ) : (
        <WaitingLine entries={waiting} line={line} />
      )}
    </p>
  )
}

/** Whether less than `ms` have passed since `at` became what it is. */
function useMoment(at: number | undefined, ms: number): boolean {
  const [over, setOver] = useState<number | undefined>(undefined)
  useEffect(() => {
    if (at === undefined) return undefined
    const timer = setTimeout(() => setOver(at), ms)
    return () => clearTimeout(timer)
  }, [at, ms])
  return at !== undefined && over !== at
}
