/** Width of a dot at 203 dots per inch, rounded to what 300 and 600 dots print as regularly; in millimetres. */
const DOT = 0.125
/** Narrower modules are not read by every scanner. */
export const NARROWEST = 0.25
const WIDEST = 0.5
/** Lowest bars that a hand scanner reads in one stroke. */
export const LOWEST_BARS = 8

/** Returns the width of a module, in millimetres, of a code this many modules wide in this room. */
export const moduleIn = (room: number, modules: number): number =>
  Math.min(WIDEST, Math.floor(room / modules / DOT + 1e-6) * DOT)

/** Returns the side of a QR code, in millimetres, whose modules are whole dots. */
export const sideOf = (room: number, modules: number): number =>
  Math.max(DOT, Math.floor(room / modules / DOT) * DOT) * modules

/** True if the bars are wide enough for scanners. */
export const isReadable = (module: number): boolean => module >= NARROWEST - 1e-6

/**
 * Splits a shelf mark into the lines of a spine: at blanks and slashes, before a cutter that follows a class number, and a long
 * class number before its point.
 */
export function spineLines(mark: string): string[] {
  return mark
    .split(/[\s/]+/u)
    .flatMap((part) => part.split(/(?<=\d)(?=\p{L})/u))
    .flatMap((part) => (part.length > 7 ? part.split(/(?=\.)/u) : [part]))
    .filter(Boolean)
    .slice(0, 6)
}

/** Returns the size of a text in millimetres so that all lines fit into a box. */
export function fittingSize(lines: readonly string[], width: number, height: number, largest = 4.5): number {
  const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
  const longest = Math.max(1, ...lines.map((line) => [...segmenter.segment(line)].length))
  return Math.max(1.4, Math.min(largest, width / (longest * 0.68), height / (Math.max(1, lines.length) * 1.3)))
}
