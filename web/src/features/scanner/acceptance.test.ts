import { describe, expect, it } from 'vitest'
import { Acceptance, isPlausible } from './acceptance'

const card = { text: 'CS26-001', format: 'Code128' }
const other = { text: 'CS26-002', format: 'Code128' }

describe('which reads are believed', () => {
  it('two equal reads in a row, with frames without a read between them', () => {
    const acceptance = new Acceptance()
    expect(acceptance.take(card, 0)).toBeNull()
    expect(acceptance.take(null, 50)).toBeNull()
    expect(acceptance.take(card, 100)).toEqual(card)
  })

  it('never a single read, nor the same text in another symbology', () => {
    const acceptance = new Acceptance()
    for (const [read, now] of [
      [card, 0],
      [other, 50],
      [card, 100],
      [{ ...card, format: 'Code39' }, 150],
    ] as const) {
      expect(acceptance.take(read, now)).toBeNull()
    }
  })

  it('R-SCAN-6: 500 ms of pause after an accepted read', () => {
    const acceptance = new Acceptance()
    acceptance.take(card, 0)
    expect(acceptance.take(card, 50)).toEqual(card)
    expect(acceptance.isQuiet(549)).toBe(true)
    expect(acceptance.take(other, 500)).toBeNull()
    expect(acceptance.take(other, 549)).toBeNull()
    expect(acceptance.isQuiet(550)).toBe(false)
    expect(acceptance.take(other, 550)).toEqual(other)
  })

  it('a card that stays in view is accepted once, and again after it was taken away', () => {
    const acceptance = new Acceptance()
    acceptance.take(card, 0)
    expect(acceptance.take(card, 50)).toEqual(card)
    for (let now = 600; now < 5000; now += 50) expect(acceptance.take(card, now)).toBeNull()
    expect(acceptance.take(card, 7000)).toBeNull()
    expect(acceptance.take(card, 7050)).toEqual(card)
  })

  it('one that led nowhere for no fault of its own is read again after three seconds, though it stays in view', () => {
    const acceptance = new Acceptance()
    acceptance.take(card, 0)
    expect(acceptance.take(card, 50)).toEqual(card)
    acceptance.again(1000)
    for (let now = 1000; now < 4000; now += 50) expect(acceptance.take(card, now)).toBeNull()
    expect(acceptance.take(card, 4000)).toBeNull()
    expect(acceptance.take(card, 4050)).toEqual(card)
  })
})

describe('what can be a whole code', () => {
  it.each(['123456', '00123456789012'])('ITF of %s digits', (text) => {
    expect(isPlausible({ text, format: 'ITF' })).toBe(true)
  })

  it.each(['1234', '12345', '1234567', '12345a', ''])('not ITF %s', (text) => {
    expect(isPlausible({ text, format: 'ITF' })).toBe(false)
  })

  it('other symbologies check themselves; only an empty text is nothing', () => {
    expect(isPlausible({ text: '7', format: 'Code128' })).toBe(true)
    expect(isPlausible({ text: '  ', format: 'QRCode' })).toBe(false)
  })
})
