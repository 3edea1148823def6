import { describe, expect, it } from 'vitest'
import type { RulesDocument } from '../../api/types'
import { findBlankRules, documentOf, valuesOf, withRule } from './rules'

const document: RulesDocument = {
  effectiveFrom: '2026-01-01',
  categories: [
    {
      name: 'Student',
      rules: { loanDays: 7, renewalDays: 7, finePerDay: 5, graceDays: 0, maxLoans: null, holdDays: 3 },
    },
    { name: 'Staff', rules: { loanDays: 30 } },
  ],
  selfBorrow: true,
  selfReturn: true,
  selfRenew: true,
  chargeClosedDays: true,
  chargeOnRenewal: false,
  returnsWaitToBeShelved: false,
}

describe('the rules as they are edited (R-RULE-1, R-RULE-2)', () => {
  const values = valuesOf(document, '2026-11-21')

  it('a version that holds already is changed from today on; one that begins later keeps its first day', () => {
    expect(values.effectiveFrom).toBe('')
    expect(documentOf(values).effectiveFrom).toBeNull()
    const later = valuesOf({ ...document, effectiveFrom: '2027-01-01' }, '2026-11-21')
    expect(documentOf(later).effectiveFrom).toBe('2027-01-01')
  })

  it('what has no field on the screen is kept as it was', () => {
    expect(documentOf(values).categories?.[0]?.rules).toEqual(document.categories?.[0]?.rules)
  })

  it('a category has its own value, or is as Student', () => {
    const own = withRule(values, 1, 'maxLoans', 10)
    expect(documentOf(own).categories?.[1]?.rules).toEqual({ loanDays: 30, maxLoans: 10 })
    expect(documentOf(withRule(own, 1, 'loanDays', undefined)).categories?.[1]?.rules).toEqual({ maxLoans: 10 })
  })

  it('blank is no limit where there may be none, and missing elsewhere', () => {
    const blank = withRule(withRule(values, 0, 'maxLoans', null), 0, 'loanDays', null)
    expect(findBlankRules(blank).map(({ path }) => path)).toEqual(['categories[0].rules.loanDays'])
  })
})
