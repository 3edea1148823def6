import type { Notice, Role } from '../../api/types'
import { paths } from '../../screens'

/** Kinds that ask the person to do something. */
const TO_DO: ReadonlySet<Notice['kind']> = new Set(['due-today', 'overdue', 'hold-ready', 'hold-expiring'])

export const asksForSomething = ({ kind }: Notice): boolean => TO_DO.has(kind)

/** Returns the address of what a notice is about, as its reader sees it; null if there is none. */
export function linkOf({ kind, bookId }: Notice, role: Role): string | null {
  if (kind === 'sign-in-changed' || kind === 'new-device') return paths.security()
  if (role !== 'student') return null
  if (kind.startsWith('hold-') && bookId !== null) return paths.studentBookDetail(bookId)
  return paths.profile()
}
