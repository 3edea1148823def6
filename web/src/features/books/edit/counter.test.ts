import { expect, test } from 'vitest'
import { counterText } from './counter'

test.each([
  [0, 'At least 200 characters, 200 to go'],
  [143, 'At least 200 characters, 57 to go'],
  [199, 'At least 200 characters, 1 to go'],
  [200, '200 characters'],
  [1234, '1,234 characters'],
  [9600, '9,600 of at most 10,000 characters'],
])('R-BOOK-2, U11: a description of %d characters', (length, text) => {
  expect(counterText(length)).toBe(text)
})
