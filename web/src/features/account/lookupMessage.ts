import { t } from '../../lib/messages'
import { ProblemError } from '../../lib/problem'

/** Time to wait if the server names none, seconds. */
const A_MINUTE = 60

/** Returns the specified text for a card without an account (R-SCAN-3), and a plain one for other failures. */
export function lookupMessage(error: unknown): string {
  if (!(error instanceof ProblemError)) return t('account.card.failed')
  const { code, message, retryAfter } = error
  if (code === 'card-unknown' || code === 'card-role-unknown') return message
  // A text that cannot be a roll number belongs to no account.
  if (code === 'invalid' || code === 'payload-too-large') return t('problem.card-unknown')
  if (code === 'not-found') return t('account.card.notOffered')
  return code === 'too-many-requests' ? tooMany(retryAfter ?? A_MINUTE) : t('account.card.failed')
}

function tooMany(seconds: number): string {
  return t('account.card.tooMany', { seconds, minutes: seconds < 60 ? 0 : Math.ceil(seconds / 60) })
}

/** True if the same card may work a moment later. */
export const isPassing = (error: unknown): boolean => lookupMessage(error) === t('account.card.failed')

/** True for a masked address, which its owner recognises but cannot sign in with. */
export const isMasked = (email: string): boolean => /^.\*{3}@|^\*{3}$/u.test(email)
