import type { SheetForm } from '../../api/types'

/** Measures of a sheet in hundredths of a millimetre, as the server stores them. */
export type Measures = Omit<SheetForm, 'name'>

type Preset = Measures & { key: string }

function preset(key: string, [pageWidth, pageHeight]: readonly [number, number], grid: Grid): Preset {
  const { columns, rows, width, height, left, top, across = width, down = height } = grid
  const [lastLeft, lastTop] = [left + (columns - 1) * across, top + (rows - 1) * down]
  return { key, pageWidth, pageHeight, columns, rows, width, height, left, top, lastLeft, lastTop }
}

type Grid = {
  columns: number
  rows: number
  width: number
  height: number
  left: number
  top: number
  /** Distance from label to label, if there are gaps between them. */
  across?: number
  down?: number
}

const A4 = [21_000, 29_700] as const
const LETTER = [21_590, 27_940] as const
const roll = (key: string, width: number, height: number) =>
  preset(key, [width, height], { columns: 1, rows: 1, width, height, left: 0, top: 0 })

/** Common sheets and rolls. */
export const PRESETS = [
  preset('a4-24', A4, { columns: 3, rows: 8, width: 6400, height: 3400, left: 700, top: 1250, across: 6600 }),
  preset('a4-40', A4, { columns: 4, rows: 10, width: 4570, height: 2540, left: 970, top: 2150, across: 4830 }),
  preset('a4-65', A4, { columns: 5, rows: 13, width: 3810, height: 2120, left: 475, top: 1070, across: 4060 }),
  preset('letter-30', LETTER, { columns: 3, rows: 10, width: 6668, height: 2540, left: 476, top: 1270, across: 6985 }),
  roll('roll-50', 5000, 2500),
  roll('roll-38', 3800, 2500),
] as const satisfies readonly Preset[]

/** Number of labels on a sheet. */
export const slotsOf = ({ columns, rows }: Measures): number => columns * rows

export type Box = { left: number; top: number; width: number; height: number }

/** Deviation of a printer, measured on the test page: it prints a point at `shift + scale × point`. */
export type Deviation = { shiftX: number; shiftY: number; scaleX: number; scaleY: number }

export const EXACT: Deviation = { shiftX: 0, shiftY: 0, scaleX: 1, scaleY: 1 }

/** Returns the place of a slot in millimetres, corrected for the printer's deviation. */
export function slotAt(sheet: Measures, index: number, { shiftX, shiftY, scaleX, scaleY }: Deviation = EXACT): Box {
  const [column, row] = [index % sheet.columns, Math.floor(index / sheet.columns)]
  const along = (first: number, last: number, count: number, n: number) =>
    (first + (count > 1 ? ((last - first) * n) / (count - 1) : 0)) / 100
  const left = along(sheet.left, sheet.lastLeft, sheet.columns, column)
  const top = along(sheet.top, sheet.lastTop, sheet.rows, row)
  return {
    left: (left - shiftX) / scaleX,
    top: (top - shiftY) / scaleY,
    width: sheet.width / 100 / scaleX,
    height: sheet.height / 100 / scaleY,
  }
}

/** Place of the rulers on the test page, and their lengths, in millimetres. */
export const rulersOn = ({ pageWidth, pageHeight }: Measures) => ({
  left: 20,
  top: 20,
  across: Math.floor((pageWidth / 100 - 40) / 10) * 10,
  down: Math.floor((pageHeight / 100 - 40) / 10) * 10,
})

/** Calculates the deviation of a printer from the measurements on its test page. */
export function deviationOf(
  rulers: ReturnType<typeof rulersOn>,
  measured: { left: number; top: number; across: number; down: number },
): Deviation {
  const [scaleX, scaleY] = [measured.across / rulers.across, measured.down / rulers.down]
  return {
    scaleX,
    scaleY,
    shiftX: measured.left - scaleX * rulers.left,
    shiftY: measured.top - scaleY * rulers.top,
  }
}

/** Cuts labels into pages; the first page begins at slot `start`, counted from 0. */
export function paged<Item>(items: readonly Item[], slots: number, start: number): (Item | null)[][] {
  const all = [...Array.from({ length: start }, () => null), ...items]
  const pages: (Item | null)[][] = []
  for (let from = 0; from < all.length; from += slots) pages.push(all.slice(from, from + slots))
  return pages
}

/** Ten cards of the size CR80 on A4. */
export const CARD_SHEET: Measures = preset('cards', A4, {
  columns: 2,
  rows: 5,
  width: 8560,
  height: 5400,
  left: 1940,
  top: 1350,
})

/** Returns the slot of a card's back, for a printer that turns the paper over its long edge. */
export const slotOfBack = ({ columns }: Measures, index: number): number =>
  index - (index % columns) + (columns - 1 - (index % columns))

const MARK = 5

/** Returns the path of the cut marks around the labels, in millimetres. */
export function cutMarks(sheet: Measures): string {
  const last = slotAt(sheet, slotsOf(sheet) - 1)
  const first = slotAt(sheet, 0)
  const [right, bottom] = [last.left + last.width, last.top + last.height]
  const columns = Array.from({ length: sheet.columns + 1 }, (_, index) => first.left + index * first.width)
  const rows = Array.from({ length: sheet.rows + 1 }, (_, index) => first.top + index * first.height)
  return [
    ...columns.map((x) => `M${x} ${first.top - MARK - 1}v${MARK}M${x} ${bottom + 1}v${MARK}`),
    ...rows.map((y) => `M${first.left - MARK - 1} ${y}h${MARK}M${right + 1} ${y}h${MARK}`),
  ].join('')
}
