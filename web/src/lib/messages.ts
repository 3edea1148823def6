import format, { type CompiledMessage } from 'icu-minify/format'
import { createElement, Fragment, useSyncExternalStore, type ReactNode } from 'react'
import catalogues from 'virtual:messages'
import type { MessagePart, Messages, Tag } from '../messages/types'
import { loadChunk } from './chunks'
import { storage } from './storage'

export type MessageKey = keyof Messages

/** Message without parameters, such as a label. */
export type PlainKey = { [K in MessageKey]: Messages[K] extends null ? K : never }[MessageKey]

type HasTag<P> = P extends null ? false : Tag extends P[keyof P] ? true : false
type TextKey = { [K in MessageKey]: HasTag<Messages[K]> extends true ? never : K }[MessageKey]
type RichKey = Exclude<MessageKey, TextKey>
type Args<K extends MessageKey> = Messages[K] extends null ? [] : [params: Messages[K]]

type Params = Readonly<Record<string, unknown>>

type Catalogue = Readonly<Record<string, CompiledMessage>>
type Loader = () => Promise<{ default: Catalogue }>
/** Languages to choose from, each by its own name. */
export const LANGUAGES = { en: 'English', hi: 'हिन्दी' } as const

export type Language = keyof typeof LANGUAGES

/**
 * `pseudo` and `pseudo-rtl` are altered English, the latter written right to left. They reveal text that is missing
 * from the catalogue, does not fit, or is on the wrong side.
 */
type Locale = Language | 'pseudo' | 'pseudo-rtl'

/** Values for the browser: the page's `lang`, and the rules for numbers, plurals and dates. */
const LOCALES: Readonly<Record<Locale, { lang: string; dir: 'ltr' | 'rtl'; intl: string; from: Language }>> = {
  en: { lang: 'en', dir: 'ltr', intl: 'en-IN', from: 'en' },
  hi: { lang: 'hi', dir: 'ltr', intl: 'hi-IN', from: 'hi' },
  pseudo: { lang: 'en-XA', dir: 'ltr', intl: 'en-IN', from: 'en' },
  'pseudo-rtl': { lang: 'ar-XB', dir: 'rtl', intl: 'en-IN', from: 'en' },
}

const isLanguage = (name: string): name is Language => Object.hasOwn(LANGUAGES, name)
const isLocale = (name: string): name is Locale => Object.hasOwn(LOCALES, name)

const STORED = 'language'

/**
 * Returns the language from the address (`?lang=hi`), which it stores like a choice, the stored choice, or the first
 * supported language of the browser.
 */
function wanted(): Locale {
  const inAddress = new URLSearchParams(location.search).get('lang') ?? ''
  if (isLanguage(inAddress)) storage.write(STORED, inAddress)
  return (
    [inAddress, storage.read(STORED) ?? ''].find(isLocale) ??
    navigator.languages.map((tag) => tag.slice(0, 2)).find(isLanguage) ??
    'en'
  )
}

let locale = wanted()
/** Loaded parts of the current language. */
let loaded = new Map<MessagePart, Catalogue>()
let messages: Catalogue = {}
/** Parts requested so far, in any language. */
const asked = new Set<MessagePart>(['first'])
const listeners = new Set<() => void>()

async function load(which: Locale, name: MessagePart): Promise<Catalogue> {
  const parts = catalogues[LOCALES[which].from] as Readonly<Record<MessagePart, Loader>>
  const { default: part } = await loadChunk('messages', parts[name])
  if (which !== 'pseudo' && which !== 'pseudo-rtl') return part
  const { pseudo } = await loadChunk('pseudo', () => import('./pseudo'))
  return pseudo(part, which === 'pseudo-rtl' ? 'arabic' : 'accents')
}

/** Fetches parts of the catalogue in a language. */
const fetched = (which: Locale, parts: readonly MessagePart[]) =>
  Promise.all(parts.map(async (part) => [part, await load(which, part)] as const))

function keep(parts: Map<MessagePart, Catalogue>): void {
  loaded = parts
  messages = Object.assign({}, ...parts.values()) as Catalogue
}

/** Fetches all requested parts; more may be requested meanwhile. */
async function everyPart(which: Locale, had: Map<MessagePart, Catalogue>): Promise<Map<MessagePart, Catalogue>> {
  const missing = [...asked].filter((part) => !had.has(part))
  if (missing.length === 0) return had
  const more = missing.map((part) =>
    fetched(which, [part]).catch((error: unknown) => {
      if (part === 'first' || loaded.has('first')) throw error
      // At start-up the screen that requested this part reports the failure, inside the frame.
      asked.delete(part)
      return []
    }),
  )
  return everyPart(which, new Map([...had, ...(await Promise.all(more)).flat()]))
}

async function apply(next: Locale): Promise<void> {
  const parts = await everyPart(next, new Map())
  locale = next
  keep(parts)
  const { lang, dir } = LOCALES[next]
  Object.assign(document.documentElement, { lang, dir })
  for (const listener of listeners) listener()
}

let started = Promise.resolve()

/** Loads the messages of the wanted language; the app renders nothing before. */
export const startMessages = (): Promise<void> => (started = apply(wanted()))

/** Resolves when the first messages have loaded; a request may fail earlier, and its error text needs them. */
export const messagesStarted = (): Promise<void> => started

/** Loads these parts now, and in every language chosen later. */
export async function loadWords(...parts: readonly MessagePart[]): Promise<void> {
  for (const part of parts) asked.add(part)
  const missing = parts.filter((part) => !loaded.has(part))
  if (missing.length === 0) return
  const language = locale
  const more = await fetched(language, missing)
  if (language === locale) keep(new Map([...loaded, ...more]))
  else await loadWords(...parts)
}

/** Changes the language of the page, and stores it for this browser. */
export async function chooseLanguage(language: Language): Promise<void> {
  storage.write(STORED, language)
  await apply(language)
}

export const currentLanguage = (): Language => LOCALES[locale].from

/** Returns the locale for numbers, plurals and dates. */
export const intlLocale = (): string => LOCALES[locale].intl

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Returns a key that changes with language and currency; components remounted by it can call `t` without a hook. */
export const useLocale = (): string => useSyncExternalStore(subscribe, () => `${locale} ${money.code} ${money.sign}`)

/** Format of amounts: the currency's ISO code, which determines the digits, and its sign. */
type MoneyStyle = { code: string; sign: string }

const MONEY = 'money'

/** Returns the stored format, so that the first amounts on a page are right. */
function knownMoney(): MoneyStyle {
  const [code = '', ...sign] = (storage.read(MONEY) ?? '').split(' ')
  return /^[A-Z]{3}$/.test(code) ? { code, sign: sign.join(' ') } : { code: 'INR', sign: '₹' }
}

let money = knownMoney()

/** Sets the format of amounts (R-RULE-8). */
export function setMoney(next: MoneyStyle): void {
  if (next.code === money.code && next.sign === money.sign) return
  money = next
  storage.write(MONEY, `${next.code} ${next.sign}`)
  for (const listener of listeners) listener()
}

/** Caches formatters by locale and options, because they are slow to create. */
export function cachedPerLocale<T>(make: (locale: string, options: object | undefined) => T) {
  const made = new Map<string, T>()
  return (tag: unknown, options?: object): T => {
    const key = `${String(tag)} ${JSON.stringify(options)}`
    const formatter = made.get(key) ?? make(String(tag), options)
    made.set(key, formatter)
    return formatter
  }
}

const numberFormat = cachedPerLocale((tag, options) => new Intl.NumberFormat(tag, options))

// The first formatter takes a slow computer 100 ms: create it while the page waits for its code.
setTimeout(() => numberFormat(intlLocale()))

/** ₹15, ₹7.50: the language decides the sign's position, the library's settings the sign. */
const moneyFormat = (tag: unknown): Intl.NumberFormat => {
  const write = (amount: number) =>
    numberFormat(tag, { style: 'currency', currency: money.code, trailingZeroDisplay: 'stripIfInteger' })
      .formatToParts(amount)
      .map(({ type, value }) => (type === 'currency' ? money.sign : value))
      .join('')
      .replace('-', '−')
  return { format: write } as Intl.NumberFormat
}

/** Formats days like the server's English: "Sep" with three letters, no comma after the weekday. */
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
    // icu-minify's own formatter does not know the currency.
    number: { money: { style: 'currency' } },
    // 28 Nov 2026, and Saturday 28 Nov. Server days have no time, so no time zone may shift them.
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

/** Returns the parameters that a compiled message formats as days. */
function daysIn(part: unknown): string[] {
  if (typeof part !== 'object' || part === null) return []
  if (Array.isArray(part) && part[1] === DATE) return [String(part[0])]
  return Object.values(part).flatMap(daysIn)
}

const DATE = 5

/** Converts ISO days to instants at midnight UTC; the formatter uses UTC too. */
function withDays<T>(message: CompiledMessage, values: Values<T>): Values<T> {
  const days = daysIn(message).map((name) => [name, new Date(`${String(values?.[name]).slice(0, 10)}T00:00:00Z`)])
  return days.length === 0 ? values : { ...values, ...(Object.fromEntries(days) as Record<string, Date>) }
}

const RIGHT_TO_LEFT = /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC]/
const LEFT_TO_RIGHT = /[A-Za-z\u00C0-\u024F]/

/** Direction mark for the start of a sentence, so that its direction does not depend on its content. */
const MARKS = { ltr: '\u200E', rtl: '\u200F' } as const

/** Returns the pattern of text that runs against the page's direction. */
const against = (): RegExp => (LOCALES[locale].dir === 'ltr' ? RIGHT_TO_LEFT : LEFT_TO_RIGHT)

/** Isolates text of the opposite direction in a sentence; otherwise the full stop would move with it. */
function keptApart<T>(values: Values<T>): Values<T> {
  const runsAgainst = against()
  const apart = Object.entries(values ?? {}).flatMap(([name, value]) =>
    typeof value === 'string' && runsAgainst.test(value)
      ? [[name, value.includes('\u2068') ? value : `\u2068${value}\u2069`] as const]
      : [],
  )
  return apart.length === 0 ? values : { ...values, ...Object.fromEntries(apart) }
}

/** Adds a mark to a sentence that begins with text of the opposite direction, which would reverse it. */
function withMark<T>(pieces: (string | T)[]): (string | T)[] {
  const text = pieces.filter((piece) => typeof piece === 'string').join('')
  const [first = ''] = /\p{L}/u.exec(text) ?? []
  return text.includes('\u2068') && against().test(first) ? [MARKS[LOCALES[locale].dir], ...pieces] : pieces
}

/** Fails for a parameter that the message names and the values lack; icu-minify would write "undefined". */
const complete = <V extends object>(values: V): V =>
  new Proxy(values, {
    get: (all, name) => {
      if (name in all) return all[name as keyof V]
      throw new Error(String(name))
    },
  })

/** Formats a message in pieces. A message that cannot be formatted shows its fallback, so that no screen fails. */
function formatted<T>(key: string, values: Values<T>, fallback = key): (string | T)[] {
  try {
    // A missing message fails like one with a missing parameter.
    const message = find(key)!
    const made = format<T>(message, intlLocale(), complete(keptApart(withDays(message, values)) ?? {}), OPTIONS)
    return withMark(Array.isArray(made) ? made : [made])
  } catch (error) {
    console.error(key, error)
    return [fallback]
  }
}

/** Formats a message in the page's language. */
export function t<K extends TextKey>(key: K, ...[params]: Args<K>): string {
  return formatted<string>(key, params as Values<string>).join('')
}

/** Formats a message with elements around its parts, such as a link. */
export function rich<K extends RichKey>(key: K, ...[params]: Args<K>): ReactNode {
  return createElement(Fragment, null, ...formatted<ReactNode>(key, params as Values<ReactNode>))
}

/** Translates a server text by its code; an unknown code or a missing parameter shows the server's English text. */
export function translate(key: string, params: Params, words: string): string {
  return find(key) !== undefined ? formatted<string>(key, withNames(params) as Values<string>, words).join('') : words
}

/** Translates a message in the server's form: code, parameters and English text. */
export const translateMessage = ({ code, params, text }: { code: string; params: Params; text: string }): string =>
  translate(code, params, text)

/** Parameters whose values may be server names such as `in-repair` or `upi`, and the prefix of their messages. */
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

/** True if a parameter is itself a message of the server. */
const isMessage = (value: unknown): value is Parameters<typeof translateMessage>[0] =>
  typeof value === 'object' && value !== null && 'code' in value && 'params' in value && 'text' in value
