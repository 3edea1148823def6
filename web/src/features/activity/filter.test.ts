import { describe, expect, it } from 'vitest'
import { byDay, filterIn } from './filter'

describe('the activity', () => {
  it('takes its filters from the address and leaves out what is none', () => {
    expect(filterIn(new URLSearchParams('person=7&action=lent&from=2026-11-01&to=&book=x'))).toEqual({
      person: 7,
      action: 'lent',
      from: '2026-11-01',
    })
    expect(filterIn(new URLSearchParams('from=yesterday&q=1'))).toEqual({})
  })

  it('is told by the library’s own days, wherever the reader is (R-LOAN-8)', () => {
    const changes = [{ at: '2026-11-21T18:45:00Z' }, { at: '2026-11-21T18:15:00Z' }, { at: '2026-11-21T09:00:00Z' }]
    expect(byDay(changes, 'Asia/Kolkata').map(({ day, changes: of }) => [day, of.length])).toEqual([
      ['2026-11-22', 1],
      ['2026-11-21', 2],
    ])
  })
})
