import { describe, expect, it } from 'vitest'
import { browserDay, dueState, libraryDay } from './dueRules'

const loan = (EntryDate: string, returnDate: string, overdueDays = 0) => ({ EntryDate, returnDate, overdueDays })

describe('libraryDay', () => {
  it('R-LOAN-8: an overdue loan tells the day, whatever the browser says', () => {
    const loans = [loan('2026-11-19', '2026-11-26'), loan('2026-02-18', '2026-02-25', 4)]
    expect(libraryDay(loans, '2030-01-01')).toBe('2026-03-01')
  })

  it('R-LOAN-8: without one the browser is believed only within what the loans allow', () => {
    const loans = [loan('2026-11-14', '2026-11-21'), loan('2026-11-19', '2026-11-26')]
    expect(libraryDay(loans, '2026-11-20')).toBe('2026-11-20')
    expect(libraryDay(loans, '1970-01-01')).toBe('2026-11-19')
    expect(libraryDay(loans, '2026-11-30')).toBe('2026-11-21')
    expect(libraryDay([], '2026-11-20')).toBe('2026-11-20')
  })

  it('reads the day on the wall, not the one at Greenwich', () => {
    expect(browserDay(new Date(2026, 10, 21, 23, 59))).toBe('2026-11-21')
    expect(browserDay(new Date(2026, 10, 21, 0, 1))).toBe('2026-11-21')
  })
})

describe('dueState', () => {
  it('tells overdue, due within two days, and later apart, across the end of a month', () => {
    expect(dueState(loan('2026-11-10', '2026-11-17', 4), '2026-11-21')).toBe('overdue')
    expect(dueState(loan('2026-11-23', '2026-11-30'), '2026-11-30')).toBe('soon')
    expect(dueState(loan('2026-11-25', '2026-12-02'), '2026-11-30')).toBe('soon')
    expect(dueState(loan('2026-11-26', '2026-12-03'), '2026-11-30')).toBe('later')
  })
})
