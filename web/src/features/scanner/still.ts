import { isPlausible, type ScanResult } from './acceptance'
import { aligned, findBars, regionOf, straightened, type BarRegion } from './bars'
import { decode, findInFrame, LINEAR, readFrame } from './decode'
import { cropToPrint, luminance, normalizeLocalContrast, toFrame, type Frame, type Grey } from './frames'
import { bands, deblurred, stretched } from './profile'

/** Sharpening of the rows of rectified bars; lengths in pixels of the picture. */
type Sharpening = {
  /** Standard deviation of the blur to remove, and number of rounds. */
  sigma: number
  rounds: number
  /** Distance within which the darkest and lightest values become black and white. */
  reach: number
}

const SHARP: Sharpening = { sigma: 0, rounds: 0, reach: 20 }
/** Ordered so that each step reads most of the remaining pictures (`bench/scanner photos`). */
const SHARPENINGS: readonly Sharpening[] = [
  { sigma: 1.2, rounds: 7, reach: 20 },
  SHARP,
  { sigma: 1.4, rounds: 20, reach: 20 },
  { sigma: 0.8, rounds: 7, reach: 20 },
  { sigma: 1, rounds: 20, reach: 13 },
  { sigma: 1.6, rounds: 20, reach: 20 },
  { sigma: 1.4, rounds: 20, reach: 13 },
  { sigma: 1.2, rounds: 20, reach: 20 },
  { sigma: 1.4, rounds: 30, reach: 20 },
  { sigma: 1, rounds: 12, reach: 20 },
]

/** Number of regions to try: the code is nearly always in the first; others are a portrait, text or the table. */
const REGIONS = 3
/** Size in pixels below which a picture, such as a webcam's frame, gets fewer looks: more would rarely find a code. */
const SMALL_PICTURE = 400_000
const LOOKS_AT_SMALL = 4
/** Maximum size for upscaling, in pixels; larger pictures have enough detail. */
const MAX_UPSCALED_PIXELS = 250_000
/** Enlargement of rectified bars, so that an edge can be between two pixels. */
const SCALE = 2
/** Margin on either side for the quiet zone, in pixels of the picture. */
const MARGIN = 24
/** Five bands, each a third of the bars' height: a finger or a reflection rarely covers all. */
const BANDS = 5
const BAND_SHARE = 0.34
/** Number of rows per band for the decoder, which needs several agreeing lines. */
const ROWS_PER_BAND = 4

function sharpened(straight: Grey, { sigma, rounds, reach }: Sharpening): Frame {
  const rows = bands(straight, BAND_SHARE, BANDS)
  return toFrame(stretched(deblurred(rows, sigma * SCALE, rounds), reach * SCALE), ROWS_PER_BAND)
}

type Kind = 'frame' | 'bars'

/** Result of one look at a picture, and the kind of look. */
type Step = { read: ScanResult | null; kind: Kind }

async function* stepsInBars(grey: Grey, region: BarRegion, sharpenings: readonly Sharpening[]): AsyncGenerator<Step> {
  const straight = straightened(grey, aligned(grey, aligned(grey, region)), SCALE, MARGIN)
  for (const sharpening of sharpenings) {
    // oxlint-disable-next-line no-await-in-loop -- each way is only needed when those before failed
    yield { kind: 'bars', read: (await decode(sharpened(straight, sharpening), LINEAR))?.read ?? null }
  }
}

/** Reads the code in a frame, and again from its rectified bars, because some codes need two equal reads. */
async function* stepsInFrame(frame: Frame): AsyncGenerator<Step> {
  const found = await findInFrame(frame, 'plain')
  yield { kind: 'frame', read: found?.read ?? null }
  if (found) yield* stepsInBars(luminance(frame), regionOf(found.corners), [SHARP, ...SHARPENINGS.slice(0, 1)])
}

/** Looks at a picture in all ways, the cheap and likely ones first. */
async function* steps(frame: Frame): AsyncGenerator<Step> {
  yield* stepsInFrame(frame)
  const grey = luminance(frame)
  const looks = grey.data.length < SMALL_PICTURE ? LOOKS_AT_SMALL : SHARPENINGS.length
  for (const region of findBars(grey, REGIONS)) yield* stepsInBars(grey, region, SHARPENINGS.slice(0, looks))
  const part = cropToPrint(frame)
  yield* stepsInFrame(normalizeLocalContrast(part))
  if (part.width * part.height <= MAX_UPSCALED_PIXELS) {
    yield { kind: 'frame', read: await readFrame(part, 'upscaled') }
  }
}

/** Number of equal reads before a code is accepted; oversharpened bars can show another code. */
function votesNeeded({ format, text }: ScanResult, kind: Kind): number {
  switch (format) {
    case 'QRCode':
      return 1
    case 'Code128':
      return kind === 'frame' ? 1 : 2
    case 'EAN8':
      return kind === 'frame' ? 1 : 3
    case 'EAN13':
    case 'UPCA':
      // A smeared EAN-13 can look like a UPC-A.
      if (text.length === 12) return kind === 'frame' ? 2 : 4
      return kind === 'frame' ? 1 : 2
    default:
      // These codes have no check digit.
      return 2
  }
}

/** Called after each look with the number of looks; returns whether to continue. */
export type GoOn = (looks: number) => Promise<boolean>

/** Number of looks that counts as full progress; pictures with several bar-like regions take more. */
export const USUAL_LOOKS = 2 * SHARPENINGS.length

/** Reads the code in a still picture: one look after the other until one is certain. */
export async function readStill(frame: Frame, goOn?: GoOn): Promise<ScanResult | null> {
  const votes = new Map<string, { read: ScanResult; count: number }>()
  let looks = 0
  for await (const { read, kind } of steps(frame)) {
    if (read && isPlausible(read)) {
      const key = `${read.format} ${read.text}`
      const count = (votes.get(key)?.count ?? 0) + 1
      votes.set(key, { read, count })
      let against = 0
      for (const [other, vote] of votes) if (other !== key) against = Math.max(against, vote.count)
      if (count - against >= votesNeeded(read, kind)) return read
    }
    looks += 1
    if (goOn && !(await goOn(looks))) return null
  }
  // Code 128 has a check sum over all its characters: one read suffices if no other code was read.
  const [only, rival] = Array.from(votes.values())
  return only && !rival && only.read.format === 'Code128' ? only.read : null
}
