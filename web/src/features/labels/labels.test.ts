import { expect, it } from 'vitest'
import { isReadable, moduleIn, spineLines } from './label'
import { CARD_SHEET, deviationOf, slotOfBack, paged, PRESETS, rulersOn, slotAt, slotsOf } from './sheets'

it('R-COPY-3: the last label of every preset is on the paper, and none covers another', () => {
  for (const sheet of PRESETS) {
    const last = slotAt(sheet, slotsOf(sheet) - 1)
    expect(last.left + last.width, sheet.key).toBeLessThanOrEqual(sheet.pageWidth / 100)
    expect(last.top + last.height, sheet.key).toBeLessThanOrEqual(sheet.pageHeight / 100)
    if (sheet.columns > 1) expect(slotAt(sheet, 1).left - slotAt(sheet, 0).left).toBeGreaterThanOrEqual(last.width)
  }
})

it('R-COPY-3: rows follow from the first and the last label, so that an error does not add up', () => {
  const sheet = { ...PRESETS[0], lastTop: PRESETS[0].lastTop + 21 }
  expect(slotAt(sheet, 0).top).toBe(12.5)
  expect(slotAt(sheet, 21).top).toBeCloseTo(250.71, 5)
  expect(slotAt(sheet, 12).top).toBeCloseTo(12.5 + (4 * 238.21) / 7, 5)
})

it('R-COPY-3: what a printer shifts and stretches is taken back', () => {
  const rulers = rulersOn(PRESETS[0])
  expect(rulers).toEqual({ left: 20, top: 20, across: 170, down: 250 })
  // A printer that prints at 97 %, 2 mm to the right and 1 mm up.
  const printed = { left: 2 + 0.97 * 20, top: -1 + 0.97 * 20, across: 0.97 * 170, down: 0.97 * 250 }
  const deviation = deviationOf(rulers, printed)
  const { left, top, width } = slotAt(PRESETS[0], 23, deviation)
  expect(2 + 0.97 * left).toBeCloseTo(139, 5)
  expect(-1 + 0.97 * top).toBeCloseTo(250.5, 5)
  expect(0.97 * width).toBeCloseTo(64, 5)
})

it('R-COPY-3: a used sheet begins at its next label', () => {
  expect(paged([1, 2, 3], 2, 1)).toEqual([
    [null, 1],
    [2, 3],
  ])
  expect(paged([], 24, 6)).toEqual([[null, null, null, null, null, null]])
})

it('R-COPY-3: bars are whole dots of the printer, or refused', () => {
  expect(moduleIn(60, 110)).toBe(0.5)
  expect(moduleIn(36, 110)).toBe(0.25)
  expect(isReadable(moduleIn(27.5, 110))).toBe(true)
  expect(isReadable(moduleIn(27.4, 110))).toBe(false)
})

it('R-COPY-3: a shelf mark is split over the lines of a spine', () => {
  expect(spineLines('891.43 PRE 2019')).toEqual(['891.43', 'PRE', '2019'])
  expect(spineLines('005.13/KER c.2')).toEqual(['005.13', 'KER', 'c.2'])
  expect(spineLines('891.4330901 प्रे')).toEqual(['891', '.4330901', 'प्रे'])
  expect(spineLines('')).toEqual([])
})

it('R-PEOPLE-2: the back of a card is behind its front when the paper is turned over its long edge', () => {
  for (let index = 0; index < slotsOf(CARD_SHEET); index += 1) {
    const [front, back] = [slotAt(CARD_SHEET, index), slotAt(CARD_SHEET, slotOfBack(CARD_SHEET, index))]
    expect(back.top).toBe(front.top)
    expect(210 - (back.left + back.width)).toBeCloseTo(front.left, 5)
  }
})
