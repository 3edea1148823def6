import { expect, it } from 'vitest'
import { dayText, quoted, moneyText } from './format'

it('writes days and money as a person would', () => {
  expect(dayText('2026-09-05')).toBe('5 Sep 2026')
  expect(moneyText(1250)).toBe('₹1,250')
})

it('puts a title into a sentence: cut where it is long, kept apart where it runs right to left', () => {
  expect(quoted('Emma')).toBe('“Emma”')
  expect(Array.from(quoted('𝒜'.repeat(900)))).toHaveLength(83)
  expect(quoted('بوف کور')).toBe('“\u2068بوف کور\u2069”')
})
