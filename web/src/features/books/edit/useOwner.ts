import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { sessionQuery } from '../../../api/account'

/**
 * Whose drafts these are. A session that ended leaves the form and what is typed into it where they were: they still belong
 * to whoever was signed in.
 */
export function useOwner(): number {
  const now = useQuery(sessionQuery).data?.user?.uid ?? null
  const [owner, setOwner] = useState(now)
  if (now !== null && now !== owner) setOwner(now)
  return now ?? owner ?? 0
}
