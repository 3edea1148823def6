import format, { type CompiledMessage } from 'icu-minify/format'
import { createElement, Fragment, useSyncExternalStore, type ReactNode } from 'react'
import catalogues from 'virtual:messages'
import type { MessagePart, Messages, Tag } from '../messages/types'
import { loadChunk } from './chunks'
import { storage } from './storage'

export type MessageKey = keyof Messages

/** A message without parameters, such as a label. */
export type PlainKey = { [K in MessageKey]: Messages[K] extends null ? K : never }[MessageKey]

type HasTag<P> = P extends null ? false : Tag extends P[keyof P] ? true : false
type TextKey = { [K in MessageKey]: HasTag<Messages[K]> extends true ? never : K }[MessageKey]
type RichKey = Exclude<MessageKey, TextKey>
type Args<K extends MessageKey> = Messages[K] extends null ? [] : [params: Messages[K]]

type Params = Readonly<Record<string, unknown>>

type Catalogue = Readonly<Record<string, CompiledMessage>>
type Loader = () => Promise<{ default: Catalogue }>
/** What a person may choose, each named by itself. */
export const LANGUAGES = { en: 'English', hi: 'हिन्दी' } as const

export type Language = keyof typeof LANGUAGES

/**
 * `pseudo` and `pseudo-rtl` are English made conspicuous, and written from right to left: for whoever looks for text that is
 * not in the catalogue, does not fit, or stands on the wrong side.
 */
type Locale = Language | 'pseudo' | 'pseudo-rtl'

/** How each is told to the browser: the page's `lang`, and the rules for numbers, plurals and dates. */
const LOCALES: Readonly<Record<Locale, { lang: string; dir: 'ltr' | 'rtl'; intl: string; from: Language }>> = {
  en: { lang: 'en', dir: 'ltr', intl: 'en-IN', from: 'en' },
  hi: { lang: 'hi', dir: 'ltr', intl: 'hi-IN', from: 'hi' },
  pseudo: { lang: 'en-XA', dir: 'ltr', intl: 'en-IN', from: 'en' },
  'pseudo-rtl': { lang: 'ar-XB', dir: 'rtl', intl: 'en-IN', from: 'en' },
}

const isLocale = (name: string | null): name is Locale => name !== null && Object.hasOwn(LOCALES, name)

const STORED = 'language'

/** Asked for in the address (`?lang=hi`), chosen earlier, or the first of the browser's languages that there is. */
function wanted(): Locale {
  const inAddress = new URLSearchParams(location.search).get('lang')
  if (isLocale(inAddress)) return inAddress
  const chosen = storage.read(STORED)
  if (isLocale(chosen)) return chosen
  return navigator.languages.map((tag) => tag.slice(0, 2)).find((tag) => tag === 'en' || tag === 'hi') ?? 'en'
}

let locale = wanted()
/** What has arrived in that language. */
let loaded = new Map<MessagePart, Catalogue>()
let messages: Catalogue = {}
/** What the page has asked for so far, in whatever language. */
const asked = new Set<MessagePart>(['first'])
const listeners = new Set<() => void>()

async function load(which: Locale, name: MessagePart): Promise<Catalogue> {
  const parts = catalogues[LOCALES[which].from] as Readonly<Record<MessagePart, Loader>>
  const { default: part } = await loadChunk('messages', parts[name])
  if (which !== 'pseudo' && which !== 'pseudo-rtl') return part
  const { pseudo } = await loadChunk('pseudo', () => import('./pseudo'))
  return pseudo(part, which === 'pseudo-rtl' ? 'arabic' : 'accents')
}

/** Parts with their messages in a language. */
const fetched = (which: Locale, parts: readonly MessagePart[]) =>
  Promise.all(parts.map(async (part) => [part, await load(which, part)] as const))

function keep(parts: Map<MessagePart, Catalogue>): void {
  loaded = parts
  messages = Object.assign({}, ...parts.values()) as Catalogue
}

/** The parts that the page has asked for; more may be asked for while these are on their way. */
async function everyPart(which: Locale, had: Map<MessagePart, Catalogue>): Promise<Map<MessagePart, Catalogue>> {
  const missing = [...asked].filter((part) => !had.has(part))
  if (missing.length === 0) return had
  return everyPart(which, new Map([...had, ...(await fetched(which, missing))]))
}

async function apply(next: Locale): Promise<void> {
  const parts = await everyPart(next, new Map())
  locale = next
  keep(parts)
  const { lang, dir } = LOCALES[next]
  Object.assign(document.documentElement, { lang, dir })
  for (const listener of listeners) listener()
}

/** Loads the language of this browser: nothing is shown before. */
export const startMessages = (): Promise<void> => apply(wanted())

/** Loads the messages of these parts, and of them in every language that is chosen later. */
export async function loadWords(...parts: readonly MessagePart[]): Promise<void> {
  for (const part of parts) asked.add(part)
  const missing = parts.filter((part) => !loaded.has(part))
  if (missing.length === 0) return
  const language = locale
  const more = await fetched(language, missing)
  if (language === locale) keep(new Map([...loaded, ...more]))
  else await loadWords(...parts)
}

/** Changes the language of the page at once, and of this browser from now on. */
export async function chooseLanguage(language: Language): Promise<void> {
  storage.write(STORED, language)
  await apply(language)
}

export const currentLanguage = (): Language => LOCALES[locale].from

/** The rules for numbers, plurals and dates. */
export const intlLocale = (): string => LOCALES[locale].intl

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Whoever shows messages mounts anew when this changes: `t` may then be called anywhere, without a hook. */
export const useLocale = (): string => useSyncExternalStore(subscribe, () => `${locale} ${money.code} ${money.sign}`)

/** How the library writes amounts: the currency's ISO code, which tells the digits, and its sign. */
type MoneyStyle = { code: string; sign: string }

const MONEY = 'money'

/** As it was here the last time, so that the first amounts on a page are right. */
function knownMoney(): MoneyStyle {
  const [code = '', ...sign] = (storage.read(MONEY) ?? '').split(' ')
  return /^[A-Z]{3}$/.test(code) ? { code, sign: sign.join(' ') } : { code: 'INR', sign: '₹' }
}

let money = knownMoney()

/** Says how the library writes amounts (R-RULE-8). */
export function setMoney(next: MoneyStyle): void {
  if (next.code === money.code && next.sign === money.sign) return
  money = next
  storage.write(MONEY, `${next.code} ${next.sign}`)
  for (const listener of listeners) listener()
}

/** Made once for each locale and style: they are slow to make. */
function cachedPerLocale<T>(make: (locale: string, options: object | undefined) => T) {
  const made = new Map<string, T>()
  return (tag: unknown, options?: object): T => {
    const key = `${String(tag)} ${JSON.stringify(options)}`
    const formatter = made.get(key) ?? make(String(tag), options)
    made.set(key, formatter)
    return formatter
  }
}

const numberFormat = cachedPerLocale((tag, options) => new Intl.NumberFormat(tag, options))

// The first one takes a slow computer a tenth of a second: while the page waits for its code, not while it shows a screen.
setTimeout(() => numberFormat(intlLocale()))

/** ₹15, ₹7.50: the language decides where the sign stands, and the library which one it is. */
const moneyFormat = (tag: unknown): Intl.NumberFormat => {
  const write = (amount: number) =>
    numberFormat(tag, { style: 'currency', currency: money.code, trailingZeroDisplay: 'stripIfInteger' })
      .formatToParts(amount)
      .map(({ type, value }) => (type === 'currency' ? money.sign : value))
      .join('')
  return { format: write } as Intl.NumberFormat
}

/** As the server writes days in English: September as short as the other months, no comma after the day of the week. */
function dayFormat(tag: string, options: Intl.DateTimeFormatOptions | undefined): Intl.DateTimeFormat {
  const days = new Intl.DateTimeFormat(tag, options)
  const write = (day: Date) => {
    const text = days.format(day)
    return tag.startsWith('en') ? text.replace('Sept', 'Sep').replace(', ', ' ') : text
  }
  return { format: write } as Intl.DateTimeFormat
}

const OPTIONS: Parameters<typeof format>[3] = {
  formats: {
    // Its own writer knows the currency.
    number: { money: { style: 'currency' } },
    // 28 Nov 2026, and Saturday 28 Nov; the server names days without a time, which no time zone may move.
    dateTime: {
      medium: { day: 'numeric', month: 'short', year: 'numeric' },
      full: { weekday: 'long', day: 'numeric', month: 'short' },
    },
  },
  formatters: {
    getNumberFormat: (tag, options) => (options?.style === 'currency' ? moneyFormat(tag) : numberFormat(tag, options)),
    getPluralRules: cachedPerLocale((tag, options) => new Intl.PluralRules(tag, options)),
    getDateTimeFormat: cachedPerLocale(dayFormat),
  },
  timeZone: 'UTC',
}

type Values<T> = Parameters<typeof format<T>>[2]

const find = (key: string): CompiledMessage | undefined => messages[key]

/** The parameters that a compiled message writes as a day. */
function daysIn(part: unknown): string[] {
  if (typeof part !== 'object' || part === null) return []
  if (Array.isArray(part) && part[1] === DATE) return [String(part[0])]
  return Object.values(part).flatMap(daysIn)
}

const DATE = 5

/** ISO days become instants for `Intl`: midnight in Greenwich, where the formatter reads them again. */
function withDays<T>(message: CompiledMessage, values: Values<T>): Values<T> {
  const days = daysIn(message).map((name) => [name, new Date(`${String(values?.[name]).slice(0, 10)}T00:00:00Z`)])
  return days.length === 0 ? values : { ...values, ...(Object.fromEntries(days) as Record<string, Date>) }
}

const RIGHT_TO_LEFT = /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC]/
const LEFT_TO_RIGHT = /[A-Za-z\u00C0-\u024F]/

/** What stands before a sentence so that it runs as its language does, whatever is in it. */
const MARKS = { ltr: '\u200E', rtl: '\u200F' } as const

/** What runs against the page. */
const against = (): RegExp => (LOCALES[locale].dir === 'ltr' ? RIGHT_TO_LEFT : LEFT_TO_RIGHT)

/** Text that runs against the page is kept apart in the sentence; else it would carry the full stop with it. */
function keptApart<T>(values: Values<T>): Values<T> {
  const runsAgainst = against()
  const apart = Object.entries(values ?? {}).flatMap(([name, value]) =>
    typeof value === 'string' && runsAgainst.test(value)
      ? [[name, value.includes('\u2068') ? value : `\u2068${value}\u2069`] as const]
      : [],
  )
  return apart.length === 0 ? values : { ...values, ...Object.fromEntries(apart) }
}

/** A sentence that begins with such text is turned around by its first letter, unless a mark says otherwise. */
function withMark<T>(pieces: (string | T)[]): (string | T)[] {
  const text = pieces.filter((piece) => typeof piece === 'string').join('')
  const [first = ''] = /\p{L}/u.exec(text) ?? []
  return text.includes('\u2068') && against().test(first) ? [MARKS[LOCALES[locale].dir], ...pieces] : pieces
}

/** The message in pieces. One that is missing shows by its key: a wrong word is no reason for a screen to fail. */
function formatted<T>(key: string, values: Values<T>): (string | T)[] {
  try {
    const message = find(key)
    if (message === undefined) throw new Error('There is no such message')
    const made = format<T>(message, intlLocale(), keptApart(withDays(message, values)), OPTIONS)
    return withMark(Array.isArray(made) ? made : [made])
  } catch (error) {
    console.error(key, error)
    return [key]
  }
}

/** The message in the language of the page. */
export function t<K extends TextKey>(key: K, ...[params]: Args<K>): string {
  return formatted<string>(key, params as Values<string>).join('')
}

/** A message with something around its parts, such as a link. */
export function rich<K extends RichKey>(key: K, ...[params]: Args<K>): ReactNode {
  return createElement(Fragment, null, ...formatted<ReactNode>(key, params as Values<ReactNode>))
}

/** What the server said by its code, in the language of the page; in the server's own words where the code is not known. */
export function translate(key: string, params: Params, words: string): string {
  return find(key) !== undefined ? formatted<string>(key, withNames(params) as Values<string>).join('') : words
}

/** The same of a message as the server sends it. */
export const translateMessage = ({ code, params, text }: { code: string; params: Params; text: string }): string =>
  translate(code, params, text)

/** The parameters that may be a name as the server writes it, such as `in-repair` or `upi`, and where its words stand. */
const NAMED = {
  from: 'copies.state',
  to: 'copies.state',
  state: 'copies.state',
  method: 'desk.screen.method',
  of: 'money.charge',
} as const

function withNames(params: Params): Params {
  const named = Object.entries(NAMED).map(([name, words]) => [name, find(`${words}.${String(params[name])}`)] as const)
  const words: (readonly [string, unknown])[] = named.filter(([, message]) => typeof message === 'string')
  for (const [name, value] of Object.entries(params)) {
    if (isMessage(value)) words.push([name, translateMessage(value)])
  }
  return words.length === 0 ? params : { ...params, ...Object.fromEntries(words) }
}

/** Whether a parameter is itself something the server says. */
const isMessage = (value: unknown): value is Parameters<typeof translateMessage>[0] =>
  typeof value === 'object' && value !== null && 'code' in value && 'params' in value && 'text' in value
