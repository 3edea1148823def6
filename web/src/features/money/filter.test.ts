import { describe, expect, it } from 'vitest'
import { isBackwards } from '../../lib/addressFilter'
import { debtorOrderOf, debtorsIn, filterIn } from './filter'

const filterOf = (search: string) => filterIn(new URLSearchParams(search))

describe('R-MONEY-6 the filter in the address', () => {
  it('is what stands there', () => {
    const search = 'from=2026-11-01&to=2026-11-30&kind=payment&method=upi'
    expect(filterOf(search)).toEqual({ from: '2026-11-01', to: '2026-11-30', kind: 'payment', method: 'upi' })
    expect(filterOf('')).toEqual({})
  })

  it('is without what cannot be meant', () => {
    expect(filterOf('from=yesterday&to=2026-11&kind=gift&method=cheque')).toEqual({})
  })

  it('knows a period that ends before it begins', () => {
    expect(isBackwards(filterOf('from=2026-11-02&to=2026-11-01'))).toBe(true)
    expect(isBackwards(filterOf('from=2026-11-02&to=2026-11-02'))).toBe(false)
    expect(isBackwards(filterOf('to=2026-11-01'))).toBe(false)
  })
})

describe('R-MONEY-6 batch and order of the people with a balance', () => {
  const orderOf = (search: string, by: 'owes' | 'name') => debtorOrderOf(new URLSearchParams(search), by)

  it('are read from the address, without an unknown order', () => {
    expect(debtorsIn(new URLSearchParams('batch=2027&sort=-name'))).toEqual({ batch: '2027', sort: '-name' })
    expect(debtorsIn(new URLSearchParams('batch=&sort=roll'))).toEqual({})
  })

  it('begin with the highest debt, and a heading pressed again reverses', () => {
    expect(orderOf('batch=2027', 'owes')).toEqual({ direction: 'descending', to: 'batch=2027&sort=owes' })
    expect(orderOf('sort=owes', 'owes')).toEqual({ direction: 'ascending', to: 'sort=-owes' })
    expect(orderOf('', 'name')).toEqual({ direction: null, to: 'sort=name' })
    expect(orderOf('sort=name', 'name').to).toBe('sort=-name')
  })
})
