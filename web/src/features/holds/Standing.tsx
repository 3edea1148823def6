import type { Hold } from '../../api/types'
import { t } from '../../lib/messages'

/** State of a hold, for a librarian. */
export function Standing({ hold: { state, place, waiting, readyUntil, barcode, backBy, fillable } }: { hold: Hold }) {
  if (state === 'ready') {
    return <>{t('holds.standing.ready', { barcode: barcode ?? '', day: readyUntil ?? '' })}</>
  }
  const line = t('holds.standing.place', { place: place ?? 1, waiting })
  if (!fillable) return <>{`${line} · ${t('holds.unfillable')}`}</>
  if (state === 'processing') return <>{`${line} · ${t('holds.standing.processing')}`}</>
  return <>{backBy === null ? line : `${line} · ${t('holds.backBy', { day: backBy })}`}</>
}
