import { describe, expect, it } from 'vitest'
import { differences } from './differences'

const lines = (action: string, before: object, after: object) =>
  differences(action, { before, after }).map((one) => `${one.name}: ${one.before} → ${one.after}`)

describe('what a change altered', () => {
  it('R-RULE-1: rules by category, with the names and amounts of the form', () => {
    const rules = (finePerDay: number, more: object) => ({
      effectiveFrom: null,
      selfBorrow: true,
      categories: [{ name: 'Student', rules: { loanDays: 7, finePerDay, maxFine: finePerDay * 10 } }],
      ...more,
    })
    const staff = { name: 'Staff', rules: { oneCopyPerTitle: true } }
    const after = rules(2.5, { effectiveFrom: '2026-12-01', selfBorrow: false })
    expect(lines('rules-changed', rules(5, {}), { ...after, categories: [...after.categories, staff] })).toEqual([
      'Valid from: blank → 1 Dec 2026',
      'Students borrow by themselves: on → off',
      'Student: Fine a day: ₹5 → ₹2.50',
      'Student: Highest fine: ₹50 → ₹25',
      'Staff: One copy of a title at a time: blank → on',
    ])
  })

  it('closed days with their names, lists with commas, long texts cut', () => {
    expect(
      lines(
        'calendar-changed',
        { closedWeekdays: [], closedDates: [] },
        { closedWeekdays: [6, 7], closedDates: [{ from: '2026-12-24', to: '2026-12-31', name: 'Winter break' }] },
      ),
    ).toEqual([
      'Closed every week on: blank → Saturday, Sunday',
      'Holidays and other closed days: blank → Winter break (24 Dec 2026 – 31 Dec 2026)',
    ])
    expect(lines('settings-changed', { batches: ['2027'] }, { batches: ['2027', '2028'] })).toEqual([
      'Batches: 2027 → 2027, 2028',
    ])
    // The descriptions differ only beyond the 120 characters that are shown.
    const long = 'd'.repeat(300)
    const status = 'Available'
    expect(
      lines('book-updated', { title: 'A', description: long, status }, { title: 'B', description: `${long}!`, status }),
    ).toEqual(['Title: A → B', `Description: ${'d'.repeat(120)}… → ${'d'.repeat(120)}…`])
  })

  it('nothing where a change is of another kind', () => {
    expect(differences('lent', { loan: 1, due: '2026-12-01' })).toEqual([])
  })
})
