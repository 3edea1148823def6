import { useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { sessionQuery } from '../api/account'
import { BACKGROUND, client, dataOf } from '../api/client'

/** Interval of reports; the server stores activity at most this often. */
const EVERY_MS = 60_000
/** Time for a press to become a click; the click's own call then reports the end of the session. */
const AFTER_PRESS_MS = 1500
/** Events caused by a person, never by the page itself. */
const SIGNS = ['pointerdown', 'keydown', 'wheel', 'touchmove'] as const

/** Reads the session without the background header, so that the server counts the request as activity. */
async function reportPresence(queries: QueryClient, uid: number): Promise<void> {
  const headers = Object.fromEntries(Object.keys(BACKGROUND).map((name) => [name, null]))
  const session = await dataOf(client.GET('/auth/session', { headers }))
  // Showing the end of the session at once would remove the button between press and click.
  if (session.user === null) {
    setTimeout(() => void queries.refetchQueries({ queryKey: sessionQuery.queryKey }), AFTER_PRESS_MS)
    return
  }
  // Ignores the answer after a sign-out: the press on sign-out reports activity too, and this answer may arrive later.
  queries.setQueryData(sessionQuery.queryKey, (now) => (now?.user?.uid === uid ? session : now))
}

/**
 * Prolongs a librarian's session by activity: typing, pressing and scrolling count, requests of the page itself do not.
 * At the end of the session the page reloads the session and hides the library's data.
 */
export function usePresence(): void {
  const queries = useQueryClient()
  const { data, dataUpdatedAt } = useQuery(sessionQuery)
  const uid = data?.user?.uid
  const ends = data?.user?.role === 'admin'

  useEffect(() => {
    if (uid === undefined) return
    let lastReport = 0
    const report = () => {
      if (Date.now() - lastReport < EVERY_MS) return
      lastReport = Date.now()
      // The next event retries a failed report.
      reportPresence(queries, uid).catch(() => undefined)
    }
    const stop = new AbortController()
    for (const sign of SIGNS) {
      window.addEventListener(sign, report, { passive: true, capture: true, signal: stop.signal })
    }
    return () => stop.abort()
  }, [uid, queries])

  useEffect(() => {
    if (!ends) return
    // Right after sign-in the end of the session is not known yet.
    const wait = data?.expiresIn === undefined ? EVERY_MS : (data.expiresIn + 1) * 1000
    // A timer counts at most 2³¹ ms.
    const at = dataUpdatedAt + Math.min(wait, 2 ** 31 - 1)
    const timer = setTimeout(
      () => void queries.refetchQueries({ queryKey: sessionQuery.queryKey }),
      Math.max(at - Date.now(), 1000),
    )
    return () => clearTimeout(timer)
  }, [ends, data?.expiresIn, dataUpdatedAt, queries])
}
