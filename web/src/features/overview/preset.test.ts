import { describe, expect, it } from 'vitest'
import { calendarWith, holidaysFrom, rulesWith } from './preset'

describe('first rules', () => {
  it('gives students the preset and leaves the rest of the rules alone', () => {
    const rules = {
      categories: [
        { name: 'Student', rules: { loanDays: 7, holdDays: 3 } },
        { name: 'Staff', rules: { loanDays: 90 } },
      ],
    } as unknown as Parameters<typeof rulesWith>[0]
    const { categories } = rulesWith(rules, 'school')
    expect(categories[0]?.rules).toMatchObject({ loanDays: 14, maxLoans: 2, holdDays: 3 })
    expect(categories[1]?.rules).toEqual({ loanDays: 90 })
  })

  it('closes each holiday every year from its next day on, once', () => {
    const days = holidaysFrom('2026-11-25')
    expect(days.map(({ day }) => day)).toEqual(['2026-12-25', '2027-01-26', '2027-08-15', '2027-10-02'])
    const closed = [{ day: '2026-12-25', name: 'Christmas' }]
    const calendar = { closedWeekdays: [6], closedDates: [{ from: '2026-12-25', to: '2026-12-31', name: 'Winter' }] }
    expect(calendarWith(calendar, true, closed)).toEqual({ ...calendar, closedWeekdays: [6, 7] })
    const { closedDates } = calendarWith(calendar, false, [{ day: '2027-08-15', name: 'Independence Day' }])
    expect(closedDates?.at(-1)).toEqual({
      from: '2027-08-15',
      to: '2027-08-15',
      name: 'Independence Day',
      yearly: true,
    })
  })
})
