import { createHash, randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { drawn, toJpeg, toRgba, type Card } from '../../bench/scanner/cards'
import { film } from '../../bench/scanner/video'

/** Files that a drawing depends on besides its description. */
const SOURCES = ['./drawings.ts', '../../bench/scanner/cards.ts', '../../bench/scanner/video.ts']

/**
 * Returns the file of a drawing, created once for all runs: its name is a hash of everything that its pixels depend on.
 */
function fileOf(description: string, extension: string, draw: () => Buffer): string {
  const hash = createHash('sha256').update(description)
  for (const source of SOURCES) hash.update(readFileSync(new URL(source, import.meta.url)))
  const file = join(tmpdir(), 'library-drawings', `${hash.digest('hex').slice(0, 32)}.${extension}`)
  if (existsSync(file)) return file
  mkdirSync(dirname(file), { recursive: true })
  // Renamed when complete: another worker may draw the same file.
  const draft = `${file}.${randomUUID()}`
  writeFileSync(draft, draw())
  renameSync(draft, file)
  return file
}

/** Frames that show a card, and frames of an empty table after it. */
const SHOWN = 24
const EMPTY = 6

/** Returns a film of these cards for the browser's camera, at this many pixels per narrowest bar. */
export const filmFile = (cards: readonly Card[], module: number, empty = EMPTY): string =>
  fileOf(JSON.stringify({ cards, module, empty }), 'mjpeg', () => film(cards, module, SHOWN, empty).jpegs)

/** Returns a JPEG of 12 megapixels that its EXIF data rotates by a quarter. */
export const rotatedPhotoFile = (card: Card): string =>
  fileOf(JSON.stringify({ card, exif: 'rotated' }), 'jpg', () => {
    const jpeg = toJpeg(toRgba(drawn(card, { width: 4000, height: 3000, module: 7, paper: 230, table: 140 })), 80)
    // One entry: the orientation (tag 0x0112) is 6.
    const exif = Buffer.from(
      'ffe1002245786966000049492a000800000001001201030001000000060000000000000000',
      'hex',
    ).subarray(0, 36)
    return Buffer.concat([jpeg.subarray(0, 2), exif, jpeg.subarray(2)])
  })
