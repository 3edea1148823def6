import { t } from '../../lib/messages'
import { ProblemError } from '../../lib/problem'

/** The specified words for a card that led nowhere (R-SCAN-3), and plain ones for a look-up that is not to be had. */
export function lookupMessage(error: unknown): string {
  if (!(error instanceof ProblemError)) return t('account.card.failed')
  const { code, message, retryAfter } = error
  if (code === 'card-unknown' || code === 'card-role-unknown') return message
  // A text that can be no roll number is nobody's.
  if (code === 'invalid' || code === 'payload-too-large') return t('account.card.nobody')
  if (code === 'not-found') return t('account.card.notOffered')
  return code === 'too-many-requests' ? tooMany(retryAfter) : t('account.card.failed')
}

function tooMany(seconds: number | null): string {
  if (seconds === null) return t('account.card.tooMany')
  if (seconds < 60) return t('account.card.tooManySeconds', { seconds })
  return t('account.card.tooManyMinutes', { minutes: Math.ceil(seconds / 60) })
}

/** Whether the same card may lead somewhere a moment later. */
export const isPassing = (error: unknown): boolean => lookupMessage(error) === t('account.card.failed')

/** A library may show only a part of the address: enough for its owner to know it, not enough to sign in with. */
export const isMasked = (email: string): boolean => /^.\*{3}@|^\*{3}$/u.test(email)
