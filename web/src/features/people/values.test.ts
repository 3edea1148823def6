import { expect, it } from 'vitest'
import { detailsOf, editOf, EMPTY } from './values'

it('R-PEOPLE-3: blank fields are none, and only what was changed is sent', () => {
  const before = {
    ...EMPTY,
    name: 'Asha',
    email: 'asha@college.edu',
    barred: { until: '2026-12-01', reason: 'Torn' },
  }
  expect(detailsOf(before)).toMatchObject({
    email: 'asha@college.edu',
    batch: null,
    barred: { until: '2026-12-01', reason: 'Torn' },
  })
  expect(editOf(before, before)).toEqual({})
  expect(editOf(before, { ...before, email: ' ', barred: { until: '2026-12-01', reason: 'Paid' } })).toEqual({
    email: null,
    barred: { until: '2026-12-01', reason: 'Paid' },
  })
  expect(editOf(before, { ...before, barred: { until: '', reason: '' } })).toEqual({ barred: null })
})
