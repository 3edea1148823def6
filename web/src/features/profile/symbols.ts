import JsBarcode from 'jsbarcode'
import { encode } from 'uqr'

/** A symbol as one path of dark modules, in a square or strip of so many modules. */
export type Symbol = { path: string; width: number; height: number }

/** Room that a scanner needs around a symbol, in modules. */
const QUIET_BARS = 10
const QUIET_DOTS = 4
const BAR_HEIGHT = 40

/** Bars for scanners that read lines; null for a text that Code 128 has no signs for. */
export function code128(text: string): Symbol | null {
  const drawing: { encodings?: { data: string }[] } = {}
  let fits = true
  JsBarcode(drawing, text, { format: 'CODE128', valid: (valid) => (fits &&= valid) })
  const modules = drawing.encodings?.map(({ data }) => data).join('') ?? ''
  if (!fits || modules === '') return null
  const bars = [...modules.matchAll(/1+/g)].map(
    ({ 0: bar, index }) => `M${QUIET_BARS + index} 0h${bar.length}v${BAR_HEIGHT}h-${bar.length}z`,
  )
  return { path: bars.join(''), width: modules.length + 2 * QUIET_BARS, height: BAR_HEIGHT }
}

/** Dots for cameras. */
export function qrCode(text: string): Symbol {
  const { data, size } = encode(text, { border: 0, ecc: 'M' })
  const dots = data.flatMap((row, y) =>
    row.flatMap((dark, x) => (dark ? [`M${x + QUIET_DOTS} ${y + QUIET_DOTS}h1v1h-1z`] : [])),
  )
  return { path: dots.join(''), width: size + 2 * QUIET_DOTS, height: size + 2 * QUIET_DOTS }
}
