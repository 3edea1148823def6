import { describe, expect, it } from 'vitest'
import { upiLink } from './upi'

describe('payment request by UPI', () => {
  it('names address, library, amount with two decimals, currency and payer', () => {
    const link = upiLink({
      address: 'xaviers@okbank',
      library: 'St. Xavier’s & Co',
      amount: 37.5,
      note: 'Library CS25-014',
    })
    expect(link).toBe(
      'upi://pay?pa=xaviers@okbank&pn=St.%20Xavier%E2%80%99s%20%26%20Co&am=37.50&cu=INR&tn=Library%20CS25-014',
    )
  })

  it('cuts a long note between letters and gives a nameless library its address', () => {
    const link = new URL(upiLink({ address: 'a1@bank', library: '', amount: 5, note: 'क'.repeat(80) }))
    expect(link.searchParams.get('tn')).toBe('क'.repeat(50))
    expect(link.searchParams.get('pn')).toBe('a1@bank')
  })
})
