import { expect, it } from 'vitest'
import { Shown } from './shown'

it('R-DESK-1: a code counts once while it is shown, and again 3 s after it was seen last', () => {
  const shown = new Shown()
  expect(shown.isNew('L000001', 0)).toBe(true)
  expect(shown.isNew('L000002', 500)).toBe(true)
  // Both are in view, and are read alternately.
  for (let now = 1000; now < 20_000; now += 1000) {
    expect(shown.isNew('L000001', now)).toBe(false)
    expect(shown.isNew('L000002', now + 500)).toBe(false)
  }
  expect(shown.isNew('L000001', 21_900)).toBe(false)
  expect(shown.isNew('L000002', 22_500)).toBe(true)
  expect(shown.isNew('L000001', 24_900)).toBe(true)
})
