import { useQueryClient, type QueryClient } from '@tanstack/react-query'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { afterScan, scanAtDesk } from '../../api/desk'
import { useOwner } from '../../api/draft'
import { draftOf } from '../../lib/drafts'
import { Desk, type Kept } from './desk'
import { play } from './sounds'
import { classOf } from './words'

const SAMPLE: Kept = {
  scans: [{ key: '', label: '', request: { code: '' } }],
  open: [{ uid: 0, name: '', since: '' }],
}

/** The desk stays as it is while its librarian looks at another screen: what waits is sent all the same. */
let current: { uid: number; desk: Desk } | null = null

function deskOf(uid: number, queries: QueryClient): Desk {
  if (current?.uid !== uid) {
    const onTold = (told: Parameters<typeof classOf>[0]) => {
      play(classOf(told))
      void afterScan(queries)
    }
    current = { uid, desk: new Desk(scanAtDesk, onTold, draftOf(uid, 'desk', SAMPLE)) }
  }
  return current.desk
}

/** The desk of this page, and how it stands. */
export function useDesk() {
  const queries = useQueryClient()
  const uid = useOwner()
  const [desk] = useState(() => deskOf(uid, queries))
  useEffect(() => desk.resume(), [desk])
  return { ...useSyncExternalStore(desk.subscribe, desk.snapshot), desk }
}
