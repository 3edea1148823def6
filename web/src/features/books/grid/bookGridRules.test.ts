import { describe, expect, it } from 'vitest'
import { columnsFor, countText, layoutFor, mirrored, indexAfterMove } from './bookGridRules'
import { dayText, moneyText } from '../../../lib/format'

describe('rules of the grid', () => {
  it('R-HOME-3, R-BOOK-1: six or three in a row where there is room, at least one anywhere', () => {
    expect([1360, 1100, 900, 700, 358, 288, 200].map((width) => columnsFor(6, width, 'tall'))).toEqual([
      6, 6, 5, 4, 2, 2, 1,
    ])
    expect([1360, 700, 358].map((width) => columnsFor(3, width, 'wide'))).toEqual([3, 2, 1])
  })

  it('R-STU-1: results of a search on a phone are rows, one below the other', () => {
    expect(layoutFor(6, 328, true)).toBe('slim')
    expect(columnsFor(6, 328, 'slim')).toBe(1)
    expect([layoutFor(6, 328, false), layoutFor(6, 1360, true), layoutFor(3, 328, true)]).toEqual([
      'tall',
      'tall',
      'wide',
    ])
  })

  it('counts in words', () => {
    expect(countText({ total: 12, totalIsExact: true }, 'ada')).toBe('12 books match')
    expect(countText({ total: 1, totalIsExact: true }, 'ada')).toBe('1 book matches')
    expect(countText({ total: 1000, totalIsExact: false }, 'the')).toBe('1,000+ books match')
    expect(countText({ total: 300, totalIsExact: true }, '')).toBe('300 books')
  })

  it('arrow keys stop at the edges and reach the last, shorter row', () => {
    expect(indexAfterMove(0, 'left', 6, 14)).toBeNull()
    expect(indexAfterMove(0, 'up', 6, 14)).toBeNull()
    expect(indexAfterMove(0, 'down', 6, 14)).toBe(6)
    expect(indexAfterMove(11, 'down', 6, 14)).toBe(13)
    expect(indexAfterMove(13, 'right', 6, 14)).toBeNull()
    expect(indexAfterMove(3, 'last', 6, 14)).toBe(13)
    expect(mirrored('left')).toBe('right')
    expect(mirrored('down')).toBe('down')
  })
})

describe('dates and money', () => {
  it('are written the same way everywhere', () => {
    expect(dayText('2026-11-12')).toBe('12 Nov 2026')
    expect(dayText('2026-09-02')).toBe('2 Sep 2026')
    expect(moneyText(15)).toBe('₹15')
  })
})
