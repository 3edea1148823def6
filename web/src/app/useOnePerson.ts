import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { useLocation } from 'react-router'
import { sessionQuery } from '../api/account'
import { signedOut } from '../api/client'
import { handOver, onPersonElsewhere, tellPerson } from '../lib/person'
import { belowBase } from '../lib/paths'
import { screenAt } from '../screens'

/**
 * Drops everything of the previous person when another tab signs in or out: all tabs of a browser share one session, so
 * a tab that shows one person would act for another. A screen that needs a session redirects to sign-in when the session
 * has ended.
 */
export function useOnePerson(): void {
  const queries = useQueryClient()
  const { pathname } = useLocation()
  const session = useQuery({ ...sessionQuery, enabled: false }).data
  const uid = session && (session.user?.uid ?? null)
  const before = useRef(uid)

  useEffect(() => {
    if (uid === undefined) return
    const role = screenAt(belowBase(pathname))?.for
    if (before.current && uid === null && (role === 'admin' || role === 'student' || role === 'person')) signedOut()
    before.current = uid
  }, [uid, pathname])

  useEffect(() => {
    if (uid === undefined) return
    tellPerson(uid)
    let reloading = false
    return onPersonElsewhere((other) => {
      if (other === uid || reloading) return
      // A visitor's page has no data to drop and only reloads the session.
      if (uid === null) void queries.invalidateQueries({ queryKey: sessionQuery.queryKey })
      else {
        // Both the channel and the storage report the change. A second reload while the first is under way made the
        // page crash in Chromium 156, 8 times in 110.
        reloading = true
        handOver()
      }
    })
  }, [uid, queries])
}
