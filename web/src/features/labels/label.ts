/** Width of a printer's dot at 203 dpi, in millimetres, rounded to a width that 300 and 600 dpi print evenly, too. */
const DOT = 0.125
/** Minimum width of a module, millimetres; some scanners do not read narrower ones. */
export const NARROWEST = 0.25
const WIDEST = 0.5
/** Minimum height of bars that a hand scanner reads in one stroke, millimetres. */
export const LOWEST_BARS = 8

/** Returns the width of a module, in millimetres, if a code of this many modules is fitted into this room. */
export const moduleIn = (room: number, modules: number): number =>
  Math.min(WIDEST, Math.floor(room / modules / DOT + 1e-6) * DOT)

/** Returns the side of a QR code, in millimetres, whose modules are whole dots. */
export const sideOf = (room: number, modules: number): number =>
  Math.max(DOT, Math.floor(room / modules / DOT) * DOT) * modules

/** True if the bars are wide enough for scanners. */
export const isReadable = (module: number): boolean => module >= NARROWEST - 1e-6

/**
 * Splits a shelf mark into the lines of a spine: at blanks and slashes, before a cutter number that follows a class
 * number, and before the point of a long class number.
 */
export function spineLines(mark: string): string[] {
  return mark
    .split(/[\s/]+/u)
    .flatMap((part) => part.split(/(?<=\d)(?=\p{L})/u))
    .flatMap((part) => (part.length > 7 ? part.split(/(?=\.)/u) : [part]))
    .filter(Boolean)
    .slice(0, 6)
}

/** Returns the font size, in millimetres, at which all lines fit into a box. */
export function fittingSize(lines: readonly string[], width: number, height: number, largest = 4.5): number {
  const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
  const longest = Math.max(1, ...lines.map((line) => [...segmenter.segment(line)].length))
  return Math.max(1.4, Math.min(largest, width / (longest * 0.68), height / (Math.max(1, lines.length) * 1.3)))
}
