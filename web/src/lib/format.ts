import { cachedPerLocale, intlLocale, t } from './messages'

const instants = cachedPerLocale((locale, options) => new Intl.DateTimeFormat(locale, options))

/** "12 Nov 2026" for an ISO day of the server, regardless of the browser's time zone. */
export const dayText = (isoDay: string): string => t('common.day', { day: isoDay })

/** Formats the day of an instant in the browser's time zone. */
export function instantText(instant: string): string {
  const then = new Date(instant)
  if (Number.isNaN(then.getTime())) return instant
  return dayText(new Date(then.getTime() - then.getTimezoneOffset() * 60_000).toISOString())
}

/** "28 Nov 2026, 2:05 pm": an instant in the browser's time zone. */
export function momentText(instant: string): string {
  return instants(intlLocale(), { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(instant))
}

/** "₹15", "₹7.50" */
export const moneyText = (amount: number): string => t('common.money', { amount })

/** "1,250" */
export const numberText = (n: number): string => t('common.number', { n })

const LONGEST_IN_A_SENTENCE = 80
const RIGHT_TO_LEFT = /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC]/

/** Quotes a title for a sentence: shortened if very long, isolated if it runs right to left. */
export function quoted(title: string): string {
  const letters = Array.from(title)
  const short =
    letters.length > LONGEST_IN_A_SENTENCE ? `${letters.slice(0, LONGEST_IN_A_SENTENCE).join('').trimEnd()}…` : title
  return RIGHT_TO_LEFT.test(short) ? `“\u2068${short}\u2069”` : `“${short}”`
}

/** "One, Two and Three" */
export const listText = (items: readonly string[]): string =>
  new Intl.ListFormat(intlLocale(), { type: 'conjunction' }).format(items)

/** "Monday" for 1 (ISO weekday). */
export function weekdayText(weekday: number): string {
  // 1 January 2024 was a Monday.
  return instants(intlLocale(), { weekday: 'long', timeZone: 'UTC' }).format(Date.UTC(2024, 0, weekday))
}

/** "April" for 4. */
export function monthText(month: number): string {
  return instants(intlLocale(), { month: 'long', timeZone: 'UTC' }).format(Date.UTC(2024, month - 1, 1))
}

/** Formats the day of an instant in the library's time zone. */
export function dayIn(instant: string, timeZone: string): string {
  // Canadian English writes days as ISO does.
  return dayText(instants('en-CA', { timeZone }).format(new Date(instant)))
}

/** "2:05 pm": the time of an instant in the library's time zone. */
export function timeText(instant: string, timeZone: string): string {
  return instants(intlLocale(), { hour: 'numeric', minute: '2-digit', timeZone }).format(new Date(instant))
}
