import type { CategoryRules, RulesDocument } from '../../api/types'

/** A rule on the screen. `limit`: blank means that there is none. */
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

/** Null is "no limit"; a number that is being typed may be blank. */
export type RuleValue = number | string | boolean | null

type CategoryValues = { name: string; rules: Readonly<Record<string, RuleValue>> }

/** What stands in the form of the rules. */
export type RuleValues = Omit<RulesDocument, 'categories' | 'effectiveFrom'> & {
  /** Blank is today. */
  effectiveFrom: string
  categories: readonly CategoryValues[]
}

/** What every draft has; which rules a category has differs. */
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

/** A version that holds already is changed from today on, one that begins later from its own first day. */
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

/** The same with one rule of one category; `undefined` makes it as for students again. */
export function withRule(values: RuleValues, index: number, name: RuleName, value: RuleValue | undefined): RuleValues {
  const categories = values.categories.map((category, place) => {
    if (place !== index) return category
    const { [name]: _before, ...others } = category.rules
    return { ...category, rules: value === undefined ? others : { ...others, [name]: value } }
  })
  return { ...values, categories }
}

/** Rules without a limit must have a value: the places of those that are blank. */
export function blanksOf({ categories }: RuleValues): { place: string; rule: Rule }[] {
  return categories.flatMap(({ rules }, index) =>
    RULES.filter((rule) => !('limit' in rule) && rules[rule.name] === null).map((rule) => ({
      place: `categories[${index}].rules.${rule.name}`,
      rule,
    })),
  )
}
