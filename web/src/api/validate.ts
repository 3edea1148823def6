import type { MessageKey } from '../lib/messages'
import { t } from '../lib/messages'
import { forms } from './contract'

/** Rules of one field, from the contract. */
type Rules = {
  readonly required: boolean
  readonly trimmed?: boolean
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly values?: readonly string[]
  readonly format?: string
}

type LabelKey = Extract<MessageKey, `label.${string}`>

/** Request body that people fill in, so its fields have labels. */
export type FormName = LabelKey extends `label.${infer F}.${string}` ? F & keyof typeof forms : never

export type FieldOf<F extends FormName> = LabelKey extends infer K
  ? K extends `label.${F}.${infer N}`
    ? N & keyof (typeof forms)[F]
    : never
  : never

/** Returns the label of a field. */
export function labelOf<F extends FormName>(form: F, field: FieldOf<F>): string {
  return t(`label.${form}.${field}` as LabelKey)
}

type MessageName = 'required' | 'tooShort' | 'tooLong' | 'notUrl' | 'notEmail' | 'notListed' | 'outOfRange'

function say(name: MessageName, { minLength, minimum, maxLength, maximum }: Rules, label: string): string {
  return t(`field.${name}`, { label, min: minLength ?? minimum ?? '', max: maxLength ?? maximum ?? '' })
}

/** Counts characters like the server, not UTF-16 code units. */
export function lengthOf(text: string): number {
  return Array.from(text).length
}

function checkText(value: string, rules: Rules, label: string): string | null {
  const text = rules.trimmed ? value.trim() : value
  if (text === '') return rules.required ? say('required', rules, label) : null
  if (rules.minLength !== undefined && lengthOf(text) < rules.minLength) return say('tooShort', rules, label)
  if (rules.maxLength !== undefined && lengthOf(text) > rules.maxLength) return say('tooLong', rules, label)
  if (rules.format === 'uri' && !isWebAddress(text)) return say('notUrl', rules, label)
  if (rules.format === 'email' && !/^[^\s@]+@[^\s@]+$/.test(text)) return say('notEmail', rules, label)
  if (rules.values && !rules.values.includes(text)) return say('notListed', rules, label)
  return null
}

function checkNumber(value: number, rules: Rules, label: string): string | null {
  const low = rules.minimum !== undefined && value < rules.minimum
  const high = rules.maximum !== undefined && value > rules.maximum
  return low || high || !Number.isInteger(value) ? say('outOfRange', rules, label) : null
}

function isWebAddress(text: string): boolean {
  return /^https?:$/.test(URL.canParse(text) ? new URL(text).protocol : '')
}

/** Returns the error of a value, or null. `required`: the screen requires a value that the server does not. */
export function check<F extends FormName>(
  form: F,
  field: FieldOf<F>,
  value: unknown,
  required?: 'required',
): string | null {
  const stated: Rules = forms[form][field] as Rules
  const rules = required ? { ...stated, required: true } : stated
  const label = labelOf(form, field)
  if (typeof value === 'number') return checkNumber(value, rules, label)
  return checkText(typeof value === 'string' ? value : '', rules, label)
}

/** Returns one validator per field of a request body, e.g. `validators('BookForm')`, for `@mantine/form`. */
export function validators<F extends FormName>(form: F): { [N in FieldOf<F>]: (value: unknown) => string | null } {
  const fields = Object.keys(forms[form]) as FieldOf<F>[]
  return Object.fromEntries(fields.map((field) => [field, (value: unknown) => check(form, field, value)])) as {
    [N in FieldOf<F>]: (value: unknown) => string | null
  }
}
