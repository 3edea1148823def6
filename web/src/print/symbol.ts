import { encode } from 'uqr'

/** A symbol as one path of dark modules; sizes in modules. */
export type Symbol = { path: string; width: number; height: number }

/** Quiet zone of a QR code, in modules. */
const QUIET = 4

/** Draws the QR code of a text. */
export function qrCode(text: string): Symbol {
  const { data, size } = encode(text, { border: 0, ecc: 'M' })
  const dots = data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x + QUIET} ${y + QUIET}h1v1h-1z`] : [])))
  return { path: dots.join(''), width: size + 2 * QUIET, height: size + 2 * QUIET }
}
