import { useQueryClient, type QueryClient } from '@tanstack/react-query'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { uidOf } from '../api/account'
import { undoing } from '../api/action'
import { findCopy } from '../api/copies'
import { afterTask, scanAtDesk } from '../api/desk'
import { useOwner } from '../api/draft'
import { keys } from '../api/keys'
import {
  chargePerson,
  loseCopy,
  refundCredit,
  reverseCharge,
  reversePayment,
  takePayment,
  waiveCharge,
} from '../api/money'
import { closeDay } from '../api/till'
import { undoChange } from '../api/undo'
import { draftOf } from '../lib/drafts'
import { t } from '../lib/messages'
import { notify } from '../lib/notify'
import { DESK_WAITS, endLateScans, takeLateScans } from '../lib/lateScans'
import { sharedStore, tasksOfOthers } from '../lib/outboxStore'
import { storage } from '../lib/storage'
import { Desk, type LeftByOldPage } from './queue'
import { play } from './sounds'
import type { LogEntry } from './tasks'
import { changeOf, classOf, messagesOf } from './words'

const LEFT: LeftByOldPage = {
  scans: [{ key: '', label: '', request: { code: '' } }],
  open: [{ uid: 0, name: '', since: '' }],
}

/** Notes for the sign-in page of this browser that tasks wait for their librarian. */
function noteWaiting(uid: number, isWaiting: boolean): void {
  const noted = storage.read(DESK_WAITS) === String(uid)
  if (isWaiting && !noted) storage.write(DESK_WAITS, String(uid))
  if (!isWaiting && noted) storage.remove(DESK_WAITS)
}

/**
 * Desks of the librarians who used this page. A desk continues to send its waiting tasks while its librarian looks at
 * another screen, and sends nothing while another person is signed in.
 */
const desks = new Map<number, Desk>()

function deskOf(uid: number, queries: QueryClient): Desk {
  const known = desks.get(uid)
  if (known) return known
  const isOwners = () => uidOf(queries) === uid
  const desk: Desk = new Desk({
    owner: String(uid),
    store: sharedStore(),
    calls: {
      scan: scanAtDesk,
      pay: takePayment,
      waive: waiveCharge,
      refund: refundCredit,
      charge: chargePerson,
      reversePayment,
      reverseCharge,
      closing: closeDay,
      lost: loseCopy,
      undo: undoChange,
      isCopy: async (code, signal) => (await findCopy(code, signal)) !== null,
    },
    onEntry: (entry, isShown) => {
      play(classOf(entry))
      afterTask(queries, isShown)
      if (!isShown) tell(queries, entry)
    },
    onUnknown: () => play('stop'),
    isOwners,
    onSignedOut: () => {
      play('stop')
      // The app opens sign-in; books scanned there belong to this desk.
      const codes = () => desk.snapshot().waiting.flatMap(({ label, task }) => (task.kind === 'scan' ? [label] : []))
      takeLateScans({ scan: desk.scan, codes })
    },
  })
  desks.set(uid, desk)
  desk.subscribe(() => noteWaiting(uid, desk.snapshot().line === 'signed-out'))
  const old = draftOf(uid, 'desk', LEFT)
  const left = old.read()
  if (left) desk.takeOver(left)
  old.remove()
  // Subscribed here, because the librarian may sign in again on any screen.
  queries.getQueryCache().subscribe(({ type, query }) => {
    if (query.queryKey[0] !== keys.session[0]) return
    // A mode does not outlive the session of its librarian.
    if (!isOwners() && desk.snapshot().mode) desk.setMode(null)
    if (![0, uid].includes(uidOf(queries))) endLateScans()
    if (type === 'updated' && desk.snapshot().line === 'signed-out' && isOwners()) void desk.resume()
  })
  return desk
}

/** Shows the outcome of a task whose desk is not on the screen. */
function tell(queries: QueryClient, entry: LogEntry): void {
  const words = messagesOf(entry).join(' ')
  const text = entry.outcome.kind === 'settled' ? words : t('outbox.named', { action: entry.label, label: words })
  const change = changeOf(entry)
  if (classOf(entry) === 'stop') notify.failure(text, entry.id)
  else notify.success(text, change === null ? undefined : undoing(queries, change))
}

/** Returns this page's desk, its state, and the number of tasks that wait for other librarians. */
export function useDesk() {
  const queries = useQueryClient()
  const uid = useOwner()
  const [desk] = useState(() => deskOf(uid, queries))
  const [ofOthers, setOfOthers] = useState(0)
  useEffect(() => {
    void desk.resume()
    void tasksOfOthers(sharedStore(), 'desk', String(uid)).then(setOfOthers)
  }, [desk, uid])
  return { ...useSyncExternalStore(desk.subscribe, desk.snapshot), desk, ofOthers }
}
