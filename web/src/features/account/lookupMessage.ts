import { ProblemError } from '../../lib/problem'

const NOBODY = 'No user found for the scanned roll number.'
const FAILED = 'Failed to fetch user from the database.'

function waitText(seconds: number | null): string {
  if (seconds === null) return 'Please wait a few minutes'
  if (seconds < 60) return `Please wait ${seconds === 1 ? 'a second' : `${seconds} seconds`}`
  const minutes = Math.ceil(seconds / 60)
  return `Please wait ${minutes === 1 ? 'a minute' : `${minutes} minutes`}`
}

/** The specified words for a card that led nowhere (R-SCAN-3), and plain ones for a look-up that is not to be had. */
export function lookupMessage(error: unknown): string {
  if (!(error instanceof ProblemError)) return FAILED
  const { code, retryAfter, message } = error
  if (code === 'card-unknown' || code === 'card-role-unknown') return message
  // A text that can be no roll number is nobody's.
  if (code === 'invalid' || code === 'payload-too-large') return NOBODY
  if (code === 'not-found') return 'This library does not look up ID cards. Please type your email.'
  if (code !== 'too-many-requests') return FAILED
  return `Too many cards were looked up from here. ${waitText(retryAfter)}, or type your email.`
}

/** Whether the same card may lead somewhere a moment later. */
export const isPassing = (error: unknown): boolean => lookupMessage(error) === FAILED

/** A library may show only a part of the address: enough for its owner to know it, not enough to sign in with. */
export const isMasked = (email: string): boolean => /^.\*{3}@|^\*{3}$/u.test(email)
