import { describe, expect, it } from 'vitest'
import { merge, same } from './merge'

const base = { loanDays: 7, fine: 5, names: ['Student', 'Staff'], rules: [{ days: 7 }, {}] }

describe('two librarians save the settings at the same time (R-RULE-1)', () => {
  it('takes over what only the other one changed, and keeps what only this one changed', () => {
    const { values, conflicts } = merge(base, { ...base, fine: 2 }, { ...base, loanDays: 14 })
    expect(values).toEqual({ ...base, fine: 2, loanDays: 14 })
    expect(conflicts).toEqual([])
  })

  it('keeps what is typed where both changed it, and tells what the other one saved', () => {
    const { values, conflicts } = merge(
      base,
      { ...base, rules: [{ days: 10 }, {}] },
      { ...base, rules: [{ days: 14 }, {}] },
    )
    expect(values.rules).toEqual([{ days: 14 }, {}])
    expect(conflicts).toEqual([{ place: 'rules[0].days', theirs: 10 }])
  })

  it('keeps a list of its own whole where both made it longer', () => {
    const theirs = { ...base, names: [...base.names, 'Guest'] }
    const { values, conflicts } = merge(base, theirs, { ...base, names: [...base.names, 'Alumni'] })
    expect(values.names).toEqual(['Student', 'Staff', 'Alumni'])
    expect(conflicts).toEqual([{ place: 'names', theirs: theirs.names }])
  })

  it('a value that was taken away stays away', () => {
    const before = { rules: { days: 7, fine: 5 } as Record<string, number> }
    expect(merge(before, before, { rules: { days: 7 } }).values).toEqual({ rules: { days: 7 } })
    expect(merge(before, { rules: { days: 7 } }, { rules: { days: 9, fine: 5 } }).values).toEqual({
      rules: { days: 9 },
    })
  })

  it('the order of names makes no difference', () => {
    expect(same({ a: 1, b: [2] }, { b: [2], a: 1 })).toBe(true)
    expect(same({ a: 1 }, { a: 1, b: null })).toBe(false)
  })
})
