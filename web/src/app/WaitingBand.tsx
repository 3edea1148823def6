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

/** Names the desk's tasks that are not done, on every screen except the desk, and sends them (R-SEAM-6). */
export default function WaitingBand() {
  const { waiting, unknown, line } = useDesk()
  const mayDesk = useMay('desk')
  const isAtDesk = belowBase(useLocation().pathname) === paths.desk()
  const slow = line === 'clear' ? [] : waiting.filter(({ isVolatile }) => !isVolatile)
  const labels = [...unknown, ...slow].map(({ label }) => label)
  if (isAtDesk || labels.length === 0) return <div role="status" />
  const list = labels.slice(0, NAMED).join(', ') + (labels.length > NAMED ? ', …' : '')
  return (
    <div role="status">
      <div className={classes.band}>
        <Hourglass data-size="20" aria-hidden="true" />
        <p dir="auto">{t('outbox.waiting', { list })}</p>
        {mayDesk && (
          <Button component={Link} to={paths.desk()} variant="default" size="compact-md">
            {t('outbox.toDesk')}
          </Button>
        )}
      </div>
    </div>
  )
}
