import type { Hold, Reservation } from '../../api/types'
import { t } from '../../lib/messages'
import { ProblemError } from '../../lib/problem'

/** Describes a reader's own hold in one sentence. */
export function holdText({ state, place, waiting, readyUntil, backBy, fillable }: Hold): string {
  switch (state) {
    case 'ready':
      return t('holds.mine.ready', { day: readyUntil ?? '' })
    case 'processing':
      return t('holds.mine.processing')
    case 'waiting': {
      if (!fillable) return t('holds.mine.unfillable')
      const line = t('holds.mine.place', { place: place ?? 1, waiting })
      return backBy === null ? line : `${line} · ${t('holds.backBy', { day: backBy })}`
    }
    case 'fulfilled':
      return t('holds.mine.fulfilled')
    case 'expired':
      return t('holds.mine.expired')
    case 'cancelled':
      return t(fillable ? 'holds.mine.cancelled' : 'holds.mine.cancelledUnfillable')
  }
}

/** Describes the hold that a reader would get now. */
export function offerText({ waiting, backBy }: Reservation): string {
  const line = t('holds.offer', { waiting })
  return backBy === null ? line : `${line} · ${t('holds.backBy', { day: backBy })}`
}

/** Explains a failed cancellation: usually the hold has ended meanwhile. */
export const cancelFailed = (reason: string, error: unknown): string =>
  error instanceof ProblemError && error.code === 'not-found' ? t('holds.ended') : t('holds.cancelFailed', { reason })
