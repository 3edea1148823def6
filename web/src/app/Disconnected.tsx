import { Button } from '@mantine/core'
import { useQueryClient, type QueryClient } from '@tanstack/react-query'
import { CloudOff } from 'lucide-react'
import { useEffect, useState } from 'react'
import { refreshKept, useKeptAt } from '../api/connection'
import { instantText, momentText, timeText } from '../lib/format'
import { t } from '../lib/messages'
import classes from './Shell.module.css'

/** Interval of retries until the server answers again. */
const RETRY_MS = 10_000

/** Formats a time in the library's time zone: "2:05 pm" if today, otherwise with its day. */
function clockText(moment: number): string {
  const at = new Date(moment).toISOString()
  return instantText(at) === instantText(new Date().toISOString()) ? timeText(at) : momentText(at)
}

/** Tells the user that cached data is shown, and how old it is. */
export function Disconnected() {
  const at = useKeptAt()
  return <div role="status">{at !== null && <Band at={at} />}</div>
}

async function refresh(queries: QueryClient) {
  await queries.invalidateQueries()
  await refreshKept()
}

function Band({ at }: { at: number }) {
  const queries = useQueryClient()
  const [asking, setAsking] = useState(false)

  useEffect(() => {
    const again = () => {
      if (document.visibilityState === 'visible') void refresh(queries)
    }
    const timer = setInterval(again, RETRY_MS)
    addEventListener('online', again)
    return () => {
      clearInterval(timer)
      removeEventListener('online', again)
    }
  }, [queries])

  async function askAgain() {
    setAsking(true)
    await refresh(queries)
    setAsking(false)
  }

  return (
    <div className={classes.band}>
      <CloudOff data-size="20" aria-hidden="true" />
      <p>{t('frame.offline', { time: clockText(at) })}</p>
      <Button variant="default" size="compact-md" loading={asking} onClick={() => void askAgain()}>
        {t('common.retry')}
      </Button>
    </div>
  )
}
