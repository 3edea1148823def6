import { prepareZXingModule, readBarcodes, type ReaderOptions, type ZXingModuleOverrides } from 'zxing-wasm/reader'
import { isPlausible, type Read } from './acceptance'
import { enlarged, evenedOut, printedPart, turned, type Frame } from './frames'

/** What is done to a frame before it is read: nothing, local contrast, sharpening, or a turn. */
export type Treatment = 'plain' | 'even' | 'enlarged' | 'turnedLeft' | 'turnedRight' | 'slanted'

/** The decoder itself reads bars that are up to about 11 degrees off, and those on their side. */
const TURN = 22
const SLANT = 45

/** What ID cards carry (R-SCAN-9); every further symbology would cost time and false reads. */
const FORMATS = ['Code128', 'Code39', 'Codabar', 'ITF', 'EAN13', 'EAN8', 'UPCA', 'QRCode'] as const

const OPTIONS: ReaderOptions = {
  formats: [...FORMATS],
  maxNumberOfSymbols: 1,
  // So many lines of a bar code must agree; fewer multiply false reads of partial codes.
  minLineCount: 4,
  // As a hand scanner would type it, without brackets around what GS1 marks.
  textMode: 'Plain',
  // Cards are printed dark on light.
  tryInvert: false,
}

/** Tells where the decoder's program is; without it the library would fetch it from another host. */
export async function prepareDecoder(overrides: ZXingModuleOverrides): Promise<void> {
  await prepareZXingModule({ overrides, fireImmediately: true })
}

function treated(frame: Frame, treatment: Treatment): Frame {
  switch (treatment) {
    case 'plain':
      return frame
    case 'even':
      return evenedOut(frame)
    case 'enlarged':
      return enlarged(frame)
    case 'turnedLeft':
      return turned(frame, -TURN)
    case 'turnedRight':
      return turned(frame, TURN)
    case 'slanted':
      return turned(frame, SLANT)
  }
}

/** Codes on their side and very large ones were looked for in the plain frame; turned by half, either side is a side. */
const LEVEL: ReaderOptions = { ...OPTIONS, tryRotate: false, tryDownscale: false }

function optionsFor(treatment: Treatment): ReaderOptions {
  if (treatment === 'plain' || treatment === 'even') return OPTIONS
  return treatment === 'slanted' ? { ...LEVEL, tryRotate: true } : LEVEL
}

/** An EAN-13 with a leading zero is a UPC-A; people see its twelve digits. */
const asPrinted = ({ text, format }: Read): Read => ({
  text: format === 'UPCA' || format === 'EAN13' ? text.replace(/^0(?=\d{12}$)/, '') : text,
  format,
})

async function firstIn({ data, width, height }: Frame, options: ReaderOptions): Promise<Read | null> {
  const results = await readBarcodes({ data, width, height, colorSpace: 'srgb' }, options)
  // A symbol that was found and not understood comes as an empty text instead of an exception.
  const found = results.find(({ isValid, text }) => isValid && text !== '')
  return found ? asPrinted({ text: found.text, format: found.format }) : null
}

/** The code in one frame of the camera; what looks like part of a code is none. */
export async function readFrame(frame: Frame, treatment: Treatment): Promise<Read | null> {
  const clear = treated(frame, treatment)
  const options = optionsFor(treatment)
  const read = await firstIn(clear, options)
  if (!read || isPlausible(read)) return read
  // Some bars of another code look like a short ITF and hide it.
  return firstIn(clear, { ...options, formats: FORMATS.filter((format) => format !== 'ITF') })
}

const FURTHER: readonly Treatment[] = ['even', 'enlarged', 'turnedLeft', 'turnedRight', 'slanted']
/** Enlarging is for small pictures, and for small cards in large ones; of what is larger there are pixels enough. */
const MOST_TO_ENLARGE = 250_000

/** Interleaved 2 of 5 has no check of its own, and a smeared EAN-13 can look like a UPC-A. */
const isDoubtful = ({ format, text }: Read) =>
  format === 'ITF' || ((format === 'EAN13' || format === 'UPCA') && text.length === 12)

/**
 * The code in a picture that does not change: one treatment after the other until one reads. What is doubtful must be
 * read twice.
 */
export async function readStill(frame: Frame): Promise<Read | null> {
  const doubtful: Read[] = []
  const isSure = (read: Read) => {
    if (!isDoubtful(read) || doubtful.some(({ text }) => text === read.text)) return true
    doubtful.push(read)
    return false
  }
  const first = await readFrame(frame, 'plain')
  if (first && isSure(first)) return first
  const part = printedPart(frame)
  for (const treatment of FURTHER) {
    if (treatment === 'enlarged' && part.width * part.height > MOST_TO_ENLARGE) continue
    // oxlint-disable-next-line no-await-in-loop -- each treatment is only needed when the one before failed
    const read = await readFrame(part, treatment)
    if (read && isSure(read)) return read
  }
  return null
}
