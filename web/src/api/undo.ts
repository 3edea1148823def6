import type { QueryClient } from '@tanstack/react-query'
import { client, dataOf } from './client'
import { translateMessage } from '../lib/messages'
import { notify, samePerson } from '../lib/notify'
import { onceMore } from './action'
import { keys } from './keys'

/** Undoes a change of today (R-UNDO-1). */
export const undoChange = (change: number, key: string, signal?: AbortSignal) =>
  dataOf(
    client.POST('/changes/{id}/undo', {
      params: { path: { id: change } },
      headers: { 'Idempotency-Key': key },
      ...(signal && { signal }),
    }),
  )

/** Query keys to invalidate after an undo, because the affected data is unknown here. */
export const UNDONE = [
  keys.changes,
  keys.people,
  keys.books,
  keys.loans,
  keys.holds,
  keys.myHolds,
  keys.myLoans,
  keys.toShelve,
  keys.unseen,
  keys.today,
  keys.money,
]

/** Undoes the change of a notice, says what that restored, and reloads the screens. */
export async function takeBack(queries: QueryClient, change: number, key: string): Promise<void> {
  const forMe = samePerson()
  const { messages } = await onceMore(() => undoChange(change, key))
  const restored = messages.map(translateMessage).join(' ')
  if (restored && forMe()) notify.success(restored)
  await Promise.all(UNDONE.map((queryKey) => queries.invalidateQueries({ queryKey })))
}
