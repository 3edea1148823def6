import { describe, expect, it } from 'vitest'
import { BurstDetector, type Key, type Place } from './keyboardWedge'

/** Types keys with a given time between them; returns the codes detected as scans. */
function type(
  keys: readonly string[],
  gap: number | ((at: number) => number),
  place: Place = 'nowhere',
  more: Partial<Key> = {},
  atDesk = false,
) {
  const detector = new BurstDetector(atDesk)
  let at = 1000
  const scans: string[] = []
  for (const [index, key] of keys.entries()) {
    at += typeof gap === 'number' ? gap : gap(index)
    const code = detector.take({ ...more, key, at }, place)
    if (code !== null) scans.push(code)
  }
  return scans
}

const typed = (text: string) => [...Array.from(text), 'Enter']
const code = typed('CS26-001')

describe('R-SCAN-9: a keyboard wedge types the code and Enter', () => {
  it.each([0, 2, 15, 40])('with %i ms between keys', (gap) => {
    expect(type(code, gap)).toEqual(['CS26-001'])
    expect(type(code, gap, 'field')).toEqual(['CS26-001'])
    expect(type(code, gap, 'password')).toEqual(['CS26-001'])
  })

  it('pressing Shift for capitals', () => {
    expect(type(['Shift', 'C', 'Shift', 'S', '2', '6', 'Enter'], 8)).toEqual(['CS26'])
  })

  it('with a number that has blanks or no digits, but in the place of the password', () => {
    for (const place of ['nowhere', 'field'] as const) {
      expect(type(typed('CS 27 001'), 5, place)).toEqual(['CS 27 001'])
      expect(type(typed('ABCDEF'), 5, place)).toEqual(['ABCDEF'])
    }
  })

  it('handing one key over late, as a busy browser does', () => {
    expect(type(code, (at) => (at === 3 ? 95 : 5))).toEqual(['CS26-001'])
  })

  it('one after the other', () => {
    expect(type([...code, ...code], (at) => (at === 9 ? 900 : 8))).toEqual(['CS26-001', 'CS26-001'])
  })

  it('right after a person typed something else', () => {
    expect(type(['h', 'i', ...code], (at) => (at === 2 ? 300 : at < 2 ? 120 : 5), 'field')).toEqual(['CS26-001'])
  })
})

describe('R-SEAM-4: at the desk', () => {
  const atDesk = (keys: readonly string[], gap: number | ((at: number) => number)) => type(keys, gap, 'field', {}, true)

  it('a code may end with Tab, and may be any text', () => {
    expect(atDesk([...Array.from('L000017'), 'Tab'], 5)).toEqual(['L000017'])
    expect(atDesk(typed('a1@library.test'), 5)).toEqual(['a1@library.test'])
  })

  it('a barcode is known from a busy browser too, and without what a person typed right before', () => {
    expect(atDesk(typed('L000017'), 75)).toEqual(['L000017'])
    expect(atDesk(typed('L000017'), (at) => (at === 3 ? 190 : 40))).toEqual(['L000017'])
    expect(atDesk(['h', 'i', ...typed('L000017')], (at) => (at === 2 ? 250 : at < 2 ? 120 : 5))).toEqual(['L000017'])
  })

  it('a code is cut off from what a person typed without a pause before it', () => {
    for (const tempo of [60, 80, 95, 150]) {
      const keys = [...Array.from('Exam'), ...typed('L000017')]
      expect(atDesk(keys, (at) => (at <= 4 ? tempo : 3))).toEqual(['L000017'])
    }
  })

  it.each([
    ['an amount', typed('12.50'), 100],
    ['a reason', typed('exam'), 70],
    ['a page number at the speed of a typist', typed('page 117'), 75],
  ] as const)('%s is typed by a person', (_what, keys, gap) => {
    expect(atDesk(keys, gap)).toEqual([])
  })
})

describe('a person is never taken for one', () => {
  it.each([
    ['a fast typist', typed('cs26001'), 60],
    ['one finger', typed('cs26001'), 400],
    ['a roll of the hand, then a thought before Enter', typed('as1d'), (at: number) => (at === 4 ? 200 : 20)],
    ['a slip over three keys and Enter', typed('as1'), 10],
    ['Enter alone', ['Enter'], 10],
    ['a rest among fast keys', typed('cs26'), (at: number) => (at === 2 ? 120 : 5)],
    ['a burst that gets slower', typed('cs26001'), (at: number) => (at < 3 ? 10 : 70)],
    ['cursor keys', ['c', 's', '2', 'ArrowLeft', 'Backspace', '6', 'Enter'], 5],
  ] as const)('%s', (_who, keys, gap) => {
    for (const place of ['nowhere', 'field', 'password'] as const) expect(type(keys, gap, place)).toEqual([])
  })

  it('holding a key down', () => {
    expect(type(typed('1111111'), 30, 'field', { repeat: true })).toEqual([])
  })

  it('shortcuts and composed writing', () => {
    expect(type(code, 5, 'nowhere', { ctrlKey: true })).toEqual([])
    expect(type(code, 5, 'nowhere', { metaKey: true })).toEqual([])
    expect(type(code, 5, 'field', { isComposing: true })).toEqual([])
  })

  it('nor is a password manager that types: what comes after Tab, an address, or words', () => {
    expect(type([...Array.from('student1'), 'Tab', ...typed('x7Kp2mQ9')], 5, 'password')).toEqual([])
    expect(type(['Tab', ...typed('x7Kp2mQ9')], (at) => (at === 1 ? 400 : 5), 'password')).toEqual([])
    expect(type(typed('a1@library.test'), 5, 'field')).toEqual([])
    expect(type(typed('4 plain words'), 5, 'password')).toEqual([])
    expect(type(typed('demo-library'), 5, 'password')).toEqual([])
  })
})
