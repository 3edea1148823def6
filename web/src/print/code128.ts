import JsBarcode from 'jsbarcode'
import type { Symbol } from './symbol'

/** Quiet zone of a bar code, in modules. */
const QUIET_BARS = 10
const BAR_HEIGHT = 40

/** Draws the bars of a text; null if Code 128 cannot encode it. */
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
