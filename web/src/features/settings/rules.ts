import type { CategoryRules, RulesDocument } from '../../api/types'

/** Rules on the screen, in order. `limit`: a blank field means no limit. */
export const RULES = [
  { name: 'loanDays', group: 'lending', kind: 'number' },
  { name: 'renewalDays', group: 'lending', kind: 'number' },
  { name: 'maxRenewals', group: 'lending', kind: 'number', limit: true },
  { name: 'maxLoans', group: 'lending', kind: 'number', limit: true },
  { name: 'allBackBy', group: 'lending', kind: 'day', limit: true },
  { name: 'oneCopyPerTitle', group: 'lending', kind: 'flag' },
  { name: 'finePerDay', group: 'fines', kind: 'amount' },
  { name: 'graceDays', group: 'fines', kind: 'number' },
  { name: 'maxFine', group: 'fines', kind: 'amount', limit: true },
  { name: 'fineUpToPrice', group: 'fines', kind: 'flag' },
  { name: 'blockOverdue', group: 'stops', kind: 'number', limit: true },
  { name: 'blockOwingOver', group: 'stops', kind: 'amount', limit: true },
  { name: 'holdDays', group: 'holds', kind: 'number' },
  { name: 'maxHolds', group: 'holds', kind: 'number', limit: true },
] as const satisfies readonly {
  name: keyof CategoryRules
  group: 'lending' | 'fines' | 'stops' | 'holds'
  kind: 'number' | 'amount' | 'day' | 'flag'
  limit?: true
}[]

export type Rule = (typeof RULES)[number]
export type RuleName = Rule['name']

/** Null is "no limit"; a number is text while its input is blank or invalid. */
export type RuleValue = number | string | boolean | null

type CategoryValues = { name: string; rules: Readonly<Record<string, RuleValue>> }

/** Rules document as it is edited in the form. */
export type RuleValues = Omit<RulesDocument, 'categories' | 'effectiveFrom'> & {
  /** Blank for today. */
  effectiveFrom: string
  categories: readonly CategoryValues[]
}

/** Shape of a stored draft. `rules` is empty here, because each category may set different rules. */
export const SAMPLE: RuleValues = {
  effectiveFrom: '',
  categories: [{ name: '', rules: {} }],
  selfBorrow: false,
  selfReturn: false,
  selfRenew: false,
  chargeClosedDays: false,
  chargeOnRenewal: false,
  returnsWaitToBeShelved: false,
}

/** Returns the form's values; a version in force is changed from today, a future one from its first day. */
export function valuesOf({ categories, effectiveFrom, ...switches }: RulesDocument, today: string): RuleValues {
  return {
    ...switches,
    effectiveFrom: effectiveFrom && effectiveFrom > today ? effectiveFrom : '',
    categories: categories.map(({ name, rules }) => ({ name, rules: { ...rules } as Record<string, RuleValue> })),
  }
}

export function documentOf({ categories, effectiveFrom, ...switches }: RuleValues): RulesDocument {
  return {
    ...switches,
    effectiveFrom: effectiveFrom === '' ? null : effectiveFrom,
    categories: categories.map(({ name, rules }) => ({ name, rules: rules as CategoryRules })),
  }
}

/** Changes one rule of one category; `undefined` returns to the students' value. */
export function withRule(values: RuleValues, index: number, name: RuleName, value: RuleValue | undefined): RuleValues {
  const categories = values.categories.map((category, place) => {
    if (place !== index) return category
    const { [name]: _before, ...others } = category.rules
    return { ...category, rules: value === undefined ? others : { ...others, [name]: value } }
  })
  return { ...values, categories }
}

/** Returns the places of blank rules that must have a value. */
export function findBlankRules({ categories }: RuleValues): { path: string; rule: Rule }[] {
  return categories.flatMap(({ rules }, index) =>
    RULES.filter((rule) => !('limit' in rule) && rules[rule.name] === null).map((rule) => ({
      path: `categories[${index}].rules.${rule.name}`,
      rule,
    })),
  )
}
