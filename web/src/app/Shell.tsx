import { useHotkeys } from '@mantine/hooks'
import { notifyManager, useQuery } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useState } from 'react'
import { Outlet, useNavigate } from 'react-router'
import { sessionQuery } from '../api/account'
import { configQuery } from '../api/config'
import { setTimeZone } from '../lib/format'
import { Chunk, lazyChunk } from '../lib/lazyChunk'
import '../ui/styles'
import { NavigationBar } from './NavigationBar'
import { Disconnected } from './Disconnected'
import { StoredBar } from './StoredBar'
import { useEnrolment } from './enrolment'
import { usePrefetch } from './prefetch'
import { useOffline } from './offline'
import { usePresence } from './presence'
import { useIdle } from './useIdle'
import { useUpdateNotice } from './updateNotice'
import { paths } from '../screens'
import { hasTasks, onTask, sharedStore } from '../lib/outboxStore'
import { notDuringPress } from '../lib/press'
import classes from './Shell.module.css'

// Instead of the scheduler in `queryClient.ts`; screens outside the frame have no rows that an answer could move.
notifyManager.setScheduler(notDuringPress)

const Palette = lazyChunk('palette', () => import('./Palette'))
// A student's phone loads them after its first books; a notice before that waits.
const Notices = lazyChunk('notices', () => import('./Notices'))
const WaitingBand = lazyChunk('waiting', () => import('./WaitingBand'))

/** Interval of requesting the session until there is a response, and the notices until they are loaded. */
const RETRY_MS = 10_000

/** Navigation bar of the signed-in user, around the screen. */
export function Shell() {
  // Without a response the user is unknown: neither a visitor nor signed out.
  const { data, errorUpdateCount } = useQuery({
    ...sessionQuery,
    refetchInterval: ({ state }) => (state.data ? false : RETRY_MS),
  })
  const timeZone = useQuery(configQuery).data?.timeZone
  if (timeZone !== undefined) setTimeZone(timeZone)
  usePresence()
  useUpdateNotice()
  const enrolling = data?.secondFactorMissing === true
  useEnrolment(enrolling)
  const [searching, setSearching] = useState(false)
  const user = data?.user ?? null
  const navigate = useNavigate()
  const isIdle = useIdle()
  const mayAdd = user?.capabilities.includes('catalogue')
  // These shortcuts also work while a field has the focus.
  useHotkeys(
    [
      ['mod+K', () => setSearching(true)],
      ['alt+N', () => mayAdd && void navigate(paths.quickAdd()), { usePhysicalKeys: true }],
    ],
    [],
  )
  usePrefetch(user)
  useOffline(data && user)
  const usesDesk = useDeskTasks(user?.capabilities.includes('desk') ? user.uid : null)

  return (
    <>
      <header className={classes.header}>
        {data === undefined ? (
          errorUpdateCount > 0 ? (
            <StoredBar />
          ) : (
            <div className={classes.bar} />
          )
        ) : (
          <NavigationBar
            user={user}
            enrolling={enrolling}
            unread={data.unreadNotices ?? 0}
            onSearch={() => setSearching(true)}
          />
        )}
      </header>
      <main id="main" tabIndex={-1} className={classes.main}>
        <Disconnected />
        {usesDesk && (
          <Chunk part={WaitingBand}>
            <WaitingBand />
          </Chunk>
        )}
        <Outlet />
      </main>
      {(isIdle || user?.role === 'admin') && (
        <Chunk part={Notices} failed={(retry) => <Retry retry={retry} />}>
          <Notices />
        </Chunk>
      )}
      {searching && !enrolling && (
        <Chunk part={Palette} onFailed={() => setSearching(false)}>
          <Palette user={user} onClose={() => setSearching(false)} />
        </Chunk>
      )}
    </>
  )
}

/** Loads a part once more after a while. */
function Retry({ retry }: { retry: () => void }) {
  const again = useEffectEvent(retry)
  useEffect(() => {
    const timer = setTimeout(() => again(), RETRY_MS)
    return () => clearTimeout(timer)
  }, [])
  return null
}

/** True once this person has tasks of the desk, from an earlier page or from this one. */
function useDeskTasks(uid: number | null): boolean {
  const [user, setUser] = useState<number | null>(null)
  useEffect(() => {
    if (uid === null) return
    void (async () => {
      if (await hasTasks(sharedStore(), 'desk', String(uid))) setUser(uid)
    })()
    return onTask(() => setUser(uid))
  }, [uid])
  return uid !== null && user === uid
}
