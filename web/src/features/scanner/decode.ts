import { prepareZXingModule, readBarcodes, type ReaderOptions, type ZXingModuleOverrides } from 'zxing-wasm/reader'
import { isPlausible, type ScanResult } from './acceptance'
import { sharpenAndUpscale, normalizeLocalContrast, cropToPrint, rotate, type Frame } from './frames'

/** What is done to a frame before it is read: nothing, local contrast, sharpening, or a turn. */
export type Preprocessing = 'plain' | 'localContrast' | 'upscaled' | 'rotatedLeft' | 'rotatedRight' | 'rotated45'

/** The decoder itself reads bars that are up to about 11 degrees off, and those on their side. */
const ROTATION = 22
const DIAGONAL = 45

/** What ID cards carry (R-SCAN-9); every further symbology would cost time and false reads. */
const FORMATS = ['Code128', 'Code39', 'Codabar', 'ITF', 'EAN13', 'EAN8', 'UPCA', 'QRCode'] as const

const OPTIONS: ReaderOptions = {
  formats: [...FORMATS],
  maxNumberOfSymbols: 1,
  // So many lines of a bar code must agree; fewer multiply false reads of partial codes.
  minLineCount: 4,
  // As a keyboard wedge would type it, without brackets around what GS1 marks.
  textMode: 'Plain',
  // Cards are printed dark on light.
  tryInvert: false,
}

/** Tells where the decoder's program is; without it the library would fetch it from another host. */
export async function prepareDecoder(overrides: ZXingModuleOverrides): Promise<void> {
  await prepareZXingModule({ overrides, fireImmediately: true })
}

function preprocessed(frame: Frame, preprocessing: Preprocessing): Frame {
  switch (preprocessing) {
    case 'plain':
      return frame
    case 'localContrast':
      return normalizeLocalContrast(frame)
    case 'upscaled':
      return sharpenAndUpscale(frame)
    case 'rotatedLeft':
      return rotate(frame, -ROTATION)
    case 'rotatedRight':
      return rotate(frame, ROTATION)
    case 'rotated45':
      return rotate(frame, DIAGONAL)
  }
}

/** Codes on their side and very large ones were looked for in the plain frame; turned by half, either side is a side. */
const LEVEL: ReaderOptions = { ...OPTIONS, tryRotate: false, tryDownscale: false }

function optionsFor(preprocessing: Preprocessing): ReaderOptions {
  if (preprocessing === 'plain' || preprocessing === 'localContrast') return OPTIONS
  return preprocessing === 'rotated45' ? { ...LEVEL, tryRotate: true } : LEVEL
}

/** An EAN-13 with a leading zero is a UPC-A; people see its twelve digits. */
const asPrinted = ({ text, format }: ScanResult): ScanResult => ({
  text: format === 'UPCA' || format === 'EAN13' ? text.replace(/^0(?=\d{12}$)/, '') : text,
  format,
})

async function firstIn({ data, width, height }: Frame, options: ReaderOptions): Promise<ScanResult | null> {
  const results = await readBarcodes({ data, width, height, colorSpace: 'srgb' }, options)
  // A symbol that was found and not understood comes as an empty text instead of an exception.
  const found = results.find(({ isValid, text }) => isValid && text !== '')
  return found ? asPrinted({ text: found.text, format: found.format }) : null
}

/** The code in one frame of the camera; what looks like part of a code is none. */
export async function readFrame(frame: Frame, preprocessing: Preprocessing): Promise<ScanResult | null> {
  const clear = preprocessed(frame, preprocessing)
  const options = optionsFor(preprocessing)
  const read = await firstIn(clear, options)
  if (!read || isPlausible(read)) return read
  // Some bars of another code look like a short ITF and hide it.
  return firstIn(clear, { ...options, formats: FORMATS.filter((format) => format !== 'ITF') })
}

const FURTHER: readonly Preprocessing[] = ['localContrast', 'upscaled', 'rotatedLeft', 'rotatedRight', 'rotated45']
/** Enlarging is for small pictures, and for small cards in large ones; of what is larger there are pixels enough. */
const MAX_UPSCALED_PIXELS = 250_000

/** Interleaved 2 of 5 has no check of its own, and a smeared EAN-13 can look like a UPC-A. */
const isDoubtful = ({ format, text }: ScanResult) =>
  format === 'ITF' || ((format === 'EAN13' || format === 'UPCA') && text.length === 12)

/**
 * The code in a picture that does not change: one preprocessing after the other until one reads. What is doubtful must be
 * read twice.
 */
export async function readStill(frame: Frame): Promise<ScanResult | null> {
  const doubtful: ScanResult[] = []
  const isSure = (read: ScanResult) => {
    if (!isDoubtful(read) || doubtful.some(({ text }) => text === read.text)) return true
    doubtful.push(read)
    return false
  }
  const first = await readFrame(frame, 'plain')
  if (first && isSure(first)) return first
  const part = cropToPrint(frame)
  for (const preprocessing of FURTHER) {
    if (preprocessing === 'upscaled' && part.width * part.height > MAX_UPSCALED_PIXELS) continue
    // oxlint-disable-next-line no-await-in-loop -- each preprocessing is only needed when the one before failed
    const read = await readFrame(part, preprocessing)
    if (read && isSure(read)) return read
  }
  return null
}
