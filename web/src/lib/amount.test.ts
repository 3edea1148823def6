import { expect, it } from 'vitest'
import { amountOf, typedAmount } from './amount'

it.each([
  ['20', 20],
  [' 12.50 ', 12.5],
  ['7.', 7],
  ['1,250', 1250],
  ['1,00,000.5', 100_000.5],
  ['२०', 20],
  ['٢٠', 20],
  ['0', 0],
  ['-5', -5],
  ['−5', -5],
])('%s is the amount %d', (typed, amount) => {
  expect(amountOf(typed)).toBe(amount)
})

it.each(['', ' ', 'abc', '1e3', '12,50', '1.234', '20 rupees', '₹', '😀', '9999999999999999', '--5'])(
  '“%s” is no amount',
  (typed) => {
    expect(amountOf(typed)).toBeNull()
  },
)

it('an amount is filled in as one types it', () => {
  expect([25.5, 25, 0].map(typedAmount)).toEqual(['25.50', '25', '0'])
})
