import { describe, expect, it } from 'vitest'
import { isBackwards } from '../../lib/addressFilter'
import { filterIn } from './filter'

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
