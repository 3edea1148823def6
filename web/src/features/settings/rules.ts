import type { CategoryRules, RulesDocument } from '../../api/types'

/** A rule on the screen. `limit`: blank means none. */
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

/** Null is "no limit"; a number may be blank while typed. */
export type RuleValue = number | string | boolean | null

type CategoryValues = { name: string; rules: Readonly<Record<string, RuleValue>> }

/** Values of the rules form. */
export type RuleValues = Omit<RulesDocument, 'categories' | 'effectiveFrom'> & {
  /** Blank: today. */
  effectiveFrom: string
  categories: readonly CategoryValues[]
}

/** Fields of every draft; the rules of categories differ. */
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

/** A version in force is changed from today, a future one from its first day. */
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
