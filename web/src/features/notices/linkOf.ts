import type { Notice, Role } from '../../api/types'
import { paths } from '../../screens'

/** Kinds of notices that require an action of the person. */
const TO_DO: ReadonlySet<Notice['kind']> = new Set(['due-today', 'overdue', 'hold-ready', 'hold-expiring'])

export const asksForSomething = ({ kind }: Notice): boolean => TO_DO.has(kind)

/** Returns the address of the notice's subject for its reader; null if there is none. */
export function linkOf({ kind, bookId }: Notice, role: Role): string | null {
  if (kind === 'sign-in-changed' || kind === 'new-device') return paths.security()
  if (role !== 'student') return null
  if (kind.startsWith('hold-') && bookId !== null) return paths.studentBookDetail(bookId)
  return paths.profile()
}
