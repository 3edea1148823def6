import { useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { sessionQuery } from '../api/account'
import { BACKGROUND, client, dataOf } from '../api/client'

/** The server keeps it no more often. */
const EVERY_MS = 60_000
/** By then a press has become a click, and its own call has told that the session has ended. */
const AFTER_PRESS_MS = 1500
/** What somebody does who is there. A page that moves by itself does none of these. */
const SIGNS = ['pointerdown', 'keydown', 'wheel', 'touchmove'] as const

/** Asks who is signed in, not by itself but because somebody is there: the header that says otherwise is left out. */
async function reportPresence(queries: QueryClient, uid: number): Promise<void> {
  const headers = Object.fromEntries(Object.keys(BACKGROUND).map((name) => [name, null]))
  const session = await dataOf(client.GET('/auth/session', { headers }))
  // Told at once that the session has ended, the screen would take the button away between the press and the click.
  if (session.user === null) {
    setTimeout(() => void queries.refetchQueries({ queryKey: sessionQuery.queryKey }), AFTER_PRESS_MS)
    return
  }
  // Whoever signed out meanwhile stays so: the press that signs out is a sign too, and its answer may come later.
  queries.setQueryData(sessionQuery.queryKey, (now) => (now?.user?.uid === uid ? session : now))
}

/**
 * A librarian's session ends when nobody is there for a while. Typing, pressing and scrolling count; what the page asks
 * by itself does not. When the end has come, the page finds out by itself, and shows nothing of the library any more.
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
      // Whoever cannot be told now is told with the next sign.
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
    // Whoever has just signed in was not told when.
    const wait = data?.expiresIn === undefined ? EVERY_MS : (data.expiresIn + 1) * 1000
    // A timer counts no further than 2³¹ ms.
    const at = dataUpdatedAt + Math.min(wait, 2 ** 31 - 1)
    const timer = setTimeout(
      () => void queries.refetchQueries({ queryKey: sessionQuery.queryKey }),
      Math.max(at - Date.now(), 1000),
    )
    return () => clearTimeout(timer)
  }, [ends, data?.expiresIn, dataUpdatedAt, queries])
}
