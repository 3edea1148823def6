import type { Hold, Reservation } from '../../api/types'
import { t } from '../../lib/messages'
import { ProblemError } from '../../lib/problem'

/** How a reader's own hold stands, in one sentence. */
export function holdText({ state, place, waiting, readyUntil, backBy }: Hold): string {
  switch (state) {
    case 'ready':
      return t('holds.mine.ready', { day: readyUntil ?? '' })
    case 'processing':
      return t('holds.mine.processing')
    case 'waiting': {
      const line = t('holds.mine.place', { place: place ?? 1, waiting })
      return backBy === null ? line : `${line} · ${t('holds.backBy', { day: backBy })}`
    }
    case 'fulfilled':
      return t('holds.mine.fulfilled')
    case 'expired':
      return t('holds.mine.expired')
    case 'cancelled':
      return t('holds.mine.cancelled')
  }
}

/** What somebody would get who reserves now. */
export function offerText({ waiting, backBy }: Reservation): string {
  const line = t('holds.offer', { waiting })
  return backBy === null ? line : `${line} · ${t('holds.backBy', { day: backBy })}`
}

/** Why a hold was not cancelled: mostly it has ended meanwhile, which the list shows. */
export const cancelFailed = (reason: string, error: unknown): string =>
  error instanceof ProblemError && error.code === 'not-found' ? t('holds.ended') : t('holds.cancelFailed', { reason })
