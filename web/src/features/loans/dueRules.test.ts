import { describe, expect, it } from 'vitest'
import { dueState } from './dueRules'

const due = (returnDate: string, overdueDays = 0) => ({ returnDate, overdueDays })

describe('dueState', () => {
  it('R-LOAN-8: tells overdue, due today, due soon and later apart by the library’s day, across the end of a month', () => {
    expect(dueState(due('2026-11-17', 4), '2026-11-21')).toBe('overdue')
    expect(dueState(due('2026-11-30'), '2026-11-30')).toBe('today')
    expect(dueState(due('2026-12-02'), '2026-11-30')).toBe('soon')
    expect(dueState(due('2026-12-03'), '2026-11-30')).toBe('later')
  })
})
