import { Button } from '@mantine/core'
import { Hourglass } from 'lucide-react'
import { Link, useLocation } from 'react-router'
import { useMay } from '../api/account'
import { useDesk } from '../counter/useDesk'
import { belowBase } from '../lib/paths'
import { t } from '../lib/messages'
import { paths } from '../screens'
import classes from './Shell.module.css'

/** Number of tasks named in the band. */
const NAMED = 5

const listOf = (tasks: readonly { label: string }[]): string =>
  tasks
    .slice(0, NAMED)
    .map(({ label }) => label)
    .join(', ') + (tasks.length > NAMED ? ', …' : '')

/** Names the desk's tasks that are not done, on every screen except the desk, and sends them (R-SEAM-6). */
export default function WaitingBand() {
  const { waiting, unknown, line } = useDesk()
  const mayDesk = useMay('desk')
  const isAtDesk = belowBase(useLocation().pathname) === paths.desk()
  const slow = line === 'clear' ? [] : waiting.filter(({ isVolatile }) => !isVolatile)
  if (isAtDesk || unknown.length + slow.length === 0) return <div role="status" />
  return (
    <div role="status">
      <div className={classes.band}>
        <Hourglass data-size="20" aria-hidden="true" />
        <div>
          {unknown.length > 0 && (
            <p dir="auto">{t('outbox.named', { action: t('outbox.unknown'), label: listOf(unknown) })}</p>
          )}
          {slow.length > 0 && <p dir="auto">{t('outbox.waiting', { list: listOf(slow) })}</p>}
        </div>
        {mayDesk && (
          <Button component={Link} to={paths.desk()} variant="default" size="compact-md">
            {t('outbox.toDesk')}
          </Button>
        )}
      </div>
    </div>
  )
}
