import { forms } from '../../api/contract'
import { labelOf, type FieldOf, type FormName } from '../../api/validate'
import { dayText, moneyText, weekdayText } from '../../lib/format'
import { t } from '../../lib/messages'

export type Difference = { place: string; name: string; before: string; after: string }

type Fields = Readonly<Record<string, unknown>>

/** Forms whose labels name the fields of a change. */
const FORMS: Readonly<Record<string, FormName>> = {
  'book-updated': 'BookForm',
  'profile-updated': 'ProfileEdit',
  'person-updated': 'PersonForm',
  'settings-changed': 'LibrarySettings',
  'rules-changed': 'CategoryRules',
}

/** Labels of fields whose form uses another name than the server's document. */
const NAMES: Readonly<Record<string, () => string>> = {
  effectiveFrom: () => t('settings.from'),
  allBackBy: () => t('settings.rule.allBackBy'),
  oneCopyPerTitle: () => t('settings.rule.oneCopyPerTitle'),
  fineUpToPrice: () => t('settings.rule.fineUpToPrice'),
  selfBorrow: () => t('settings.switch.selfBorrow'),
  selfReturn: () => t('settings.switch.selfReturn'),
  selfRenew: () => t('settings.switch.selfRenew'),
  chargeClosedDays: () => t('settings.switch.chargeClosedDays'),
  chargeOnRenewal: () => t('settings.switch.chargeOnRenewal'),
  returnsWaitToBeShelved: () => t('settings.switch.returnsWaitToBeShelved'),
  barcode: () => t('copies.column.barcode'),
  location: () => t('copies.column.location'),
  note: () => t('copies.column.note'),
  price: () => t('copies.edit.price'),
  acquiredOn: () => t('copies.edit.acquiredOn'),
  category: () => t('people.fact.category'),
  validUntil: () => t('people.fact.validUntil'),
  barred: () => t('people.fact.barred'),
  batches: () => t('settings.library.batches'),
  departments: () => t('settings.library.departments'),
  closedWeekdays: () => t('settings.calendar.weekdays'),
  closedDates: () => t('settings.calendar.dates'),
}

const MONEY = new Set(['finePerDay', 'maxFine', 'blockOwingOver', 'price'])
const LONGEST = 120

/** Returns every changed value, before and after (R-RULE-1); empty for other kinds of changes. */
export function differences(action: string, change: Fields): Difference[] {
  const { before, after } = change
  if (!isFields(before) || !isFields(after)) return []
  const [was, is] = [flat(before), flat(after)]
  return [...new Set([...was.keys(), ...is.keys()])]
    .filter((place) => JSON.stringify(was.get(place) ?? null) !== JSON.stringify(is.get(place) ?? null))
    .map((place) => ({
      place,
      name: nameOf(action, place),
      before: valueText(place, was.get(place)),
      after: valueText(place, is.get(place)),
    }))
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Flattens the fields of a change; a rule of a category gets the key `category/rule`. */
function flat(fields: Fields): Map<string, unknown> {
  const all = new Map<string, unknown>()
  for (const [name, value] of Object.entries(fields)) {
    if (name !== 'categories' || !Array.isArray(value)) {
      all.set(name, value)
      continue
    }
    for (const category of value as { name: string; rules: Fields }[])
      for (const [rule, set] of Object.entries(category.rules)) all.set(`${category.name}/${rule}`, set)
  }
  return all
}

function nameOf(action: string, place: string): string {
  const at = place.lastIndexOf('/')
  const field = place.slice(at + 1)
  const form = FORMS[action]
  const name = NAMES[field]?.() ?? (form && field in forms[form] ? labelOf(form, field as FieldOf<FormName>) : field)
  return at < 0 ? name : `${place.slice(0, at)}: ${name}`
}

function valueText(place: string, value: unknown): string {
  const field = place.slice(place.lastIndexOf('/') + 1)
  if (Array.isArray(value)) {
    const parts = value.map((one) => (field === 'closedWeekdays' ? weekdayText(Number(one)) : itemText(one)))
    return parts.join(', ') || t('settings.blank')
  }
  if (field === 'status') return t(value === 'Available' ? 'books.status.available' : 'books.status.notAvailable')
  return itemText(value, MONEY.has(field))
}

function itemText(value: unknown, money = false): string {
  if (value === null || value === undefined || value === '') return t('settings.blank')
  if (typeof value === 'boolean') return t(value ? 'settings.on' : 'settings.off')
  if (typeof value === 'number') return money ? moneyText(value) : String(value)
  if (isFields(value) && 'until' in value) {
    return t('people.fact.barredWhy', { day: String(value['until']), reason: String(value['reason']) })
  }
  // Closed days: name, first and last day.
  if (isFields(value)) {
    const days = [...new Set([value['from'], value['to'] ?? value['from']])].map((day) => dayText(String(day)))
    return `${String(value['name'])} (${days.join(' – ')})`
  }
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  if (/^\d{4}-\d{2}-\d{2}$/.test(text)) return dayText(text)
  const letters = Array.from(text)
  return letters.length > LONGEST ? `${letters.slice(0, LONGEST).join('')}…` : text
}
