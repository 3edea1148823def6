import type { ChangeFilter } from '../../api/changes'
import { daysIn } from '../../lib/addressFilter'
import { idOf } from '../../lib/paths'

/** Reads the filter from the address; invalid ids and days are left out. */
export function filterIn(params: URLSearchParams): ChangeFilter {
  const person = idOf(params.get('person') ?? undefined)
  const book = idOf(params.get('book') ?? undefined)
  const action = params.get('action') ?? ''
  return {
    ...(person !== null && { person }),
    ...(book !== null && { book }),
    ...(action !== '' && { action }),
    ...daysIn(params),
  }
}

/** Groups changes by their day in the library's time zone, in order. */
export function byDay<C extends { at: string }>(
  changes: readonly C[],
  timeZone: string,
): { day: string; changes: C[] }[] {
  // The locale en-CA formats days like ISO 8601.
  const dayOf = new Intl.DateTimeFormat('en-CA', { timeZone })
  const days: { day: string; changes: C[] }[] = []
  for (const change of changes) {
    const day = dayOf.format(new Date(change.at))
    const last = days.at(-1)
    if (last?.day === day) last.changes.push(change)
    else days.push({ day, changes: [change] })
  }
  return days
}
