/**
 * Draws the sheet of barcodes to try the demo's desk with: cards of readers, and copies that are on the shelf.
 * Run by hand when the demo changes: `node scripts/demo-sheet.mjs`; a test looks each code up in the demo.
 */
import { writeFileSync } from 'node:fs'
import JsBarcode from 'jsbarcode'

const CARDS = [
  ['cs27-001', 'Arjun Nair'],
  ['cs25-014', 'Ananya Krishnan'],
  ['me26-031', 'Rohan Deshmukh'],
  ['ec27-008', 'Fatima Sheikh'],
]
const COPIES = [
  ['L000011', 'The Guide'],
  ['L000019', 'Malgudi Days'],
  ['L000028', 'Train to Pakistan'],
  ['L000036', 'A Fine Balance'],
  ['L000039', 'Interpreter of Maladies'],
  ['L000050', 'गोदान'],
  ['L000085', 'গীতাঞ্জলি'],
  ['L000093', 'সোনার কেল্লা'],
]

/** Millimetres: A4, and the grid of the codes. */
const [WIDTH, HEIGHT, COLUMN, ROW, MARGIN] = [210, 297, 95, 34, 10]
/** Width of the narrowest bar of Code 128 in millimetres; scanners read 0.19 mm and more. */
const BAR = 0.42

/** @param {string} text */
const escaped = (text) => text.replace(/[<&]/g, (sign) => (sign === '<' ? '&lt;' : '&amp;'))

/** @type {(code: string, words: string, x: number, y: number) => string} */
function drawn(code, words, x, y) {
  /** @type {{ encodings?: { data: string }[] }} */
  const barcode = {}
  JsBarcode(barcode, code.toUpperCase(), { format: 'CODE128' })
  const bits = barcode.encodings?.map(({ data }) => data).join('') ?? ''
  const bars = [...bits.matchAll(/1+/g)].map(
    ({ index, 0: run }) =>
      `M${(x + index * BAR).toFixed(2)} ${y}h${(run.length * BAR).toFixed(2)}v14h-${(run.length * BAR).toFixed(2)}z`,
  )
  return `<text x="${x}" y="${y - 2}">${escaped(words)}</text><path d="${bars.join('')}"/><text x="${x}" y="${y + 19}" class="code">${code.toUpperCase()}</text>`
}

/** @type {(title: string, codes: string[][], top: number) => string} */
const part = (title, codes, top) =>
  `<text x="${MARGIN}" y="${top}" class="title">${title}</text>` +
  codes
    .map(([code = '', words = ''], n) =>
      drawn(code, words, MARGIN + (n % 2) * COLUMN, top + 12 + Math.floor(n / 2) * ROW),
    )
    .join('\n')

const sheet = `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}mm" height="${HEIGHT}mm" viewBox="0 0 ${WIDTH} ${HEIGHT}">
<style>text{font:4px sans-serif}.title{font:600 6px sans-serif}.code{font:4px monospace}</style>
<rect width="100%" height="100%" fill="white"/>
${part('Cards', CARDS, 18)}
${part('Books', COPIES, 104)}
</svg>
`
writeFileSync(new URL('../../docs/demo-barcodes.svg', import.meta.url), sheet)
