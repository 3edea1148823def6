import type { Calendar, CategoryRules, RulesDocument } from '../../api/types'

/** Usual rules of a school and of a college. */
export const PRESETS = {
  school: { loanDays: 14, renewalDays: 14, maxLoans: 2, maxRenewals: 1, finePerDay: 1, maxHolds: 2 },
  college: { loanDays: 14, renewalDays: 14, maxLoans: 4, maxRenewals: 2, finePerDay: 2, maxHolds: 4 },
} as const satisfies Record<string, CategoryRules>

export type Preset = keyof typeof PRESETS

/** Indian holidays on which every library is closed: month and day, message. */
const HOLIDAYS = [
  ['01-26', 'overview.holiday.republic'],
  ['08-15', 'overview.holiday.independence'],
  ['10-02', 'overview.holiday.gandhi'],
  ['12-25', 'overview.holiday.christmas'],
] as const

const SUNDAY = 7

/** Returns the rules with the preset for students; other categories and switches stay. */
export const rulesWith = (rules: RulesDocument, preset: Preset): RulesDocument => ({
  ...rules,
  categories: rules.categories.map((category, index) =>
    index === 0 ? { ...category, rules: { ...category.rules, ...PRESETS[preset] } } : category,
  ),
})

/** Returns the next day of each holiday (ISO), soonest first. */
export function holidaysFrom(today: string) {
  const year = Number(today.slice(0, 4))
  return [year, year + 1]
    .flatMap((of) => HOLIDAYS.map(([day, name]) => ({ day: `${of}-${day}`, name })))
    .filter(({ day }) => day >= today)
    .slice(0, HOLIDAYS.length)
}

/** Returns the calendar with Sundays and these days closed, the days every year; existing entries are kept. */
export function calendarWith(
  calendar: Calendar,
  sundays: boolean,
  closed: readonly { day: string; name: string }[],
): Calendar {
  const known = new Set((calendar.closedDates ?? []).map(({ from }) => from))
  const days = new Set([...(calendar.closedWeekdays ?? []), ...(sundays ? [SUNDAY] : [])])
  return {
    ...calendar,
    closedWeekdays: [...days].toSorted((a, b) => a - b),
    closedDates: [
      ...(calendar.closedDates ?? []),
      ...closed
        .filter(({ day }) => !known.has(day))
        .map(({ day, name }) => ({
          from: day,
          to: day,
          name,
          yearly: true,
        })),
    ],
  }
}
