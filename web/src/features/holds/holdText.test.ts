import { describe, expect, it } from 'vitest'
import type { Hold } from '../../api/types'
import { holdText, offerText } from './holdText'

const hold = (more: Partial<Hold>): Hold => ({
  id: 1,
  bookId: 1,
  title: 'Godaan',
  userId: 1,
  userName: 'Asha Rao',
  rollNumber: null,
  state: 'waiting',
  place: 1,
  waiting: 1,
  readyUntil: null,
  copyId: null,
  barcode: null,
  backBy: null,
  fillable: true,
  placedAt: '2026-11-21T06:00:00Z',
  ...more,
})

describe('a hold', () => {
  it.each<[Partial<Hold>, string]>([
    [{}, 'You are first in line'],
    [{ place: 2, waiting: 4 }, 'You are number 2 of 4 in line'],
    [{ backBy: '2026-11-28' }, 'You are first in line · a copy should be back by 28 Nov 2026'],
    [
      { state: 'processing' },
      'A copy is reported returned; it will be kept for you once the library has checked it in',
    ],
    [
      { state: 'ready', place: null, readyUntil: '2026-11-24' },
      'A copy is kept for you at the library until 24 Nov 2026',
    ],
    [{ state: 'expired', place: null }, 'Not picked up in time'],
    [
      { fillable: false },
      'This reservation cannot be filled: the library has no copy left. Ask at the desk, or cancel it.',
    ],
    [{ state: 'cancelled', place: null, fillable: false }, 'Cancelled: the library has no copy left'],
  ])('R-HOLD-1 says how it stands: %j', (more, words) => {
    expect(holdText(hold(more))).toBe(words)
  })
})

describe('an offer to reserve', () => {
  it.each([
    [0, '2026-11-28', 'You would be first in line · a copy should be back by 28 Nov 2026'],
    [1, null, '1 reader is waiting; you would be second in line'],
    [3, null, '3 readers are waiting; you would be next after them'],
  ])('R-HOLD-1 says how many wait and when a copy should be back: %s, %s', (waiting, backBy, words) => {
    expect(offerText({ offered: true, waiting, free: 0, fillable: true, inRepair: 0, backBy, own: null })).toBe(words)
  })
})
