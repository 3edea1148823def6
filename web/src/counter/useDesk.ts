import { useQueryClient, type QueryClient } from '@tanstack/react-query'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { uidOf } from '../api/account'
import { afterScan, scanAtDesk } from '../api/desk'
import { useOwner } from '../api/draft'
import { draftOf, scansOfOthers } from '../lib/drafts'
import { Desk, type Kept, type Told } from './queue'
import { play } from './sounds'
import { classOf } from './words'

const SAMPLE: Kept = {
  scans: [{ key: '', label: '', request: { code: '' } }],
  open: [{ uid: 0, name: '', since: '' }],
}

/**
 * The desk of each librarian who used this page. It stays as it is while its librarian looks at another screen: what waits
 * is sent all the same. While another person is signed in, it sends nothing.
 */
const desks = new Map<number, Desk>()

function deskOf(uid: number, queries: QueryClient): Desk {
  const known = desks.get(uid)
  if (known) return known
  const onTold = (told: Told) => {
    play(classOf(told))
    void afterScan(queries)
  }
  const desk = new Desk(scanAtDesk, onTold, {
    memory: draftOf(uid, 'desk', SAMPLE),
    isOwners: () => uidOf(queries) === uid,
    onSignedOut: () => play('stop'),
  })
  desks.set(uid, desk)
  return desk
}

/** The desk of this page, and how it stands. */
export function useDesk() {
  const queries = useQueryClient()
  const uid = useOwner()
  const [desk] = useState(() => deskOf(uid, queries))
  useEffect(() => desk.resume(), [desk])
  const [ofOthers] = useState(() => scansOfOthers(uid))
  return { ...useSyncExternalStore(desk.subscribe, desk.snapshot), desk, ofOthers }
}
