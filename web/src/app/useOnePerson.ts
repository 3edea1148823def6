import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { sessionQuery } from '../api/account'
import { onPersonElsewhere, tellPerson } from '../lib/person'

/**
 * All tabs of a browser share one session: a tab that still shows one person would act for another. When somebody else
 * signs in or out on another tab, nothing of the person before stays on this one.
 */
export function useOnePerson(): void {
  const queries = useQueryClient()
  const session = useQuery({ ...sessionQuery, enabled: false }).data
  const uid = session && (session.user?.uid ?? null)

  useEffect(() => {
    if (uid === undefined) return
    tellPerson(uid)
    return onPersonElsewhere((other) => {
      if (other === uid) return
      // Whoever shows nobody's data only has to ask who is there.
      if (uid === null) void queries.invalidateQueries({ queryKey: sessionQuery.queryKey })
      else window.location.reload()
    })
  }, [uid, queries])
}
