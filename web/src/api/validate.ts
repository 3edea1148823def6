import { messages } from './contract'

/** The rules of one field as the contract states them. */
type Rules = {
  readonly label: string
  readonly required: boolean
  readonly trimmed?: boolean
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly values?: readonly string[]
  readonly format?: string
}

type MessageName = keyof typeof messages

function say(name: MessageName, rules: Rules): string {
  const words: Record<string, string | number | undefined> = {
    label: rules.label,
    min: rules.minLength ?? rules.minimum,
    max: rules.maxLength ?? rules.maximum,
  }
  return messages[name].replaceAll(/\{(\w+)\}/g, (whole, word: string) => String(words[word] ?? whole))
}

/** Lengths are counted as the server counts them: characters, not UTF-16 halves. */
export function lengthOf(text: string): number {
  return Array.from(text).length
}

function checkText(value: string, rules: Rules): string | null {
  const text = rules.trimmed ? value.trim() : value
  if (text === '') return rules.required ? say('required', rules) : null
  if (rules.minLength !== undefined && lengthOf(text) < rules.minLength) return say('tooShort', rules)
  if (rules.maxLength !== undefined && lengthOf(text) > rules.maxLength) return say('tooLong', rules)
  if (rules.format === 'uri' && !isWebAddress(text)) return say('notUrl', rules)
  if (rules.format === 'email' && !/^[^\s@]+@[^\s@]+$/.test(text)) return say('notEmail', rules)
  if (rules.values && !rules.values.includes(text)) return say('notListed', rules)
  return null
}

function checkNumber(value: number, rules: Rules): string | null {
  const low = rules.minimum !== undefined && value < rules.minimum
  const high = rules.maximum !== undefined && value > rules.maximum
  return low || high || !Number.isInteger(value) ? say('outOfRange', rules) : null
}

function isWebAddress(text: string): boolean {
  return /^https?:$/.test(URL.canParse(text) ? new URL(text).protocol : '')
}

/** The message for a wrong value, or null: what `@mantine/form` expects of a rule. */
export function check(value: unknown, rules: Rules): string | null {
  if (typeof value === 'number') return checkNumber(value, rules)
  return checkText(typeof value === 'string' ? value : '', rules)
}

/** One validator per field of a request body, e.g. `validators(forms.BookForm)`. */
export function validators<F extends Record<string, Rules>>(
  form: F,
): { [K in keyof F]: (value: unknown) => string | null } {
  const result = {} as { [K in keyof F]: (value: unknown) => string | null }
  for (const field of Object.keys(form) as (keyof F)[]) {
    result[field] = (value) => check(value, form[field] as Rules)
  }
  return result
}
