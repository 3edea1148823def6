import { cachedPerLocale, intlLocale, t } from './messages'

const instants = cachedPerLocale((locale, options) => new Intl.DateTimeFormat(locale, options))

/** Formats an ISO day of the server, regardless of the browser's time zone: "12 Nov 2026". */
export const dayText = (isoDay: string): string => t('common.day', { day: isoDay })

/** The library's time zone; the browser's until the frame sets it. */
let zone: string | undefined

export const setTimeZone = (timeZone: string) => {
  zone = timeZone
}

/** Formats the day of an instant in the library's time zone. */
export const instantText = (instant: string): string => dayIn(instant, zone)

/** Formats an instant in the library's time zone: "28 Nov 2026, 2:05 pm". */
export function momentText(instant: string, timeZone = zone): string {
  return instants(intlLocale(), { dateStyle: 'medium', timeStyle: 'short', timeZone }).format(new Date(instant))
}

/** Formats an amount: "₹15", "₹7.50". */
export const moneyText = (amount: number): string => t('common.money', { amount })

/** Formats a number: "1,250". */
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

/** Joins items in a sentence: "One, Two and Three". */
export const listText = (items: readonly string[]): string =>
  new Intl.ListFormat(intlLocale(), { type: 'conjunction' }).format(items)

/** Names an ISO weekday: "Monday" for 1. */
export function weekdayText(weekday: number): string {
  // 1 January 2024 was a Monday.
  return instants(intlLocale(), { weekday: 'long', timeZone: 'UTC' }).format(Date.UTC(2024, 0, weekday))
}

/** Names a month: "April" for 4. */
export function monthText(month: number): string {
  return instants(intlLocale(), { month: 'long', timeZone: 'UTC' }).format(Date.UTC(2024, month - 1, 1))
}

/** Formats the day of an instant in a time zone. */
export function dayIn(instant: string, timeZone: string | undefined): string {
  // The locale en-CA formats days like ISO 8601.
  return dayText(instants('en-CA', { timeZone }).format(new Date(instant)))
}

/** Formats the time of an instant in the library's time zone: "2:05 pm". */
export function timeText(instant: string, timeZone = zone): string {
  return instants(intlLocale(), { hour: 'numeric', minute: '2-digit', timeZone }).format(new Date(instant))
}

/** Formats a full hour: "07:00". */
export const hourText = (hour: number): string => `${String(hour).padStart(2, '0')}:00`
