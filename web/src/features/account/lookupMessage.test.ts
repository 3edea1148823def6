import { describe, expect, it } from 'vitest'
import { ProblemError, unreachable } from '../../lib/problem'
import type { Problem } from '../../api/types'
import { isMasked, lookupMessage } from './lookupMessage'

const refused = (status: number, code: Problem['code'], detail: string, retryAfter: number | null = null) =>
  new ProblemError({ status, code, detail }, retryAfter)

describe('R-SCAN-3: a card that led nowhere', () => {
  it.each([
    [
      refused(404, 'card-unknown', 'No user found for the scanned roll number.'),
      'No user found for the scanned roll number.',
    ],
    [refused(403, 'card-role-unknown', 'User role is not recognized.'), 'User role is not recognized.'],
    [refused(422, 'invalid', 'Some fields are not right.'), 'No user found for the scanned roll number.'],
    [refused(500, 'internal', 'Something went wrong.'), 'Failed to fetch user from the database.'],
    [refused(503, 'busy', 'Busy.'), 'Failed to fetch user from the database.'],
    [unreachable(), 'Failed to fetch user from the database.'],
    [new TypeError('x'), 'Failed to fetch user from the database.'],
    [refused(404, 'not-found', 'Nothing here.'), 'This library does not look up ID cards. Enter your email address.'],
  ])('%s', (error, words) => {
    expect(lookupMessage(error)).toBe(words)
  })

  it.each([
    [null, 'Wait a minute'],
    [1, 'Wait a second'],
    [20, 'Wait 20 seconds'],
    [60, 'Wait a minute'],
    [61, 'Wait 2 minutes'],
  ])('too many look-ups, again in %s s', (seconds, words) => {
    expect(lookupMessage(refused(429, 'too-many-requests', 'Too many.', seconds))).toBe(
      `Too many cards were looked up from here. ${words}, or enter your email address.`,
    )
  })
})

it('knows an address that was masked', () => {
  for (const masked of ['r***@college.edu', '****@college.edu', '***']) expect(isMasked(masked)).toBe(true)
  for (const whole of ['r@college.edu', 'ra***@college.edu', 'asha.rao@college.edu'])
    expect(isMasked(whole)).toBe(false)
})
