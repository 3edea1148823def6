import {
  prepareZXingModule,
  readBarcodes,
  type Position,
  type ReaderOptions,
  type ZXingModuleOverrides,
} from 'zxing-wasm/reader'
import { isPlausible, type ScanResult } from './acceptance'
import { sharpenAndUpscale, normalizeLocalContrast, rotate, type Frame } from './frames'

/** What is done to a frame before it is read: nothing, local contrast, sharpening, or a turn. */
export type Preprocessing = 'plain' | 'localContrast' | 'upscaled' | 'rotatedLeft' | 'rotatedRight' | 'rotated45'

/** The decoder itself reads bars that are up to about 11 degrees off, and those on their side. */
const ROTATION = 22
const DIAGONAL = 45

/**
 * What ID cards carry (R-SCAN-9); every further symbology would cost time and false reads. Code 39 is the standard one: the
 * name of the whole family would turn some six signs into a number of the Italian pharmacies.
 */
const FORMATS = ['Code128', 'Code39Std', 'Codabar', 'ITF', 'EAN13', 'EAN8', 'UPCA', 'QRCode'] as const

export const OPTIONS: ReaderOptions = {
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

/** For bars that were straightened already. */
export const LINEAR: ReaderOptions = {
  ...OPTIONS,
  formats: FORMATS.filter((format) => format !== 'QRCode'),
  tryRotate: false,
  tryDownscale: false,
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

/** A code and where in the frame it is; the corners of a bar code are the ends of the lines that agreed. */
export type Found = { read: ScanResult; corners: Position }

export async function decode({ data, width, height }: Frame, options: ReaderOptions): Promise<Found | null> {
  const results = await readBarcodes({ data, width, height, colorSpace: 'srgb' }, options)
  // A symbol that was found and not understood comes as an empty text instead of an exception.
  const found = results.find(({ isValid, text }) => isValid && text !== '')
  return found ? { read: asPrinted({ text: found.text, format: found.format }), corners: found.position } : null
}

/** The code in a frame; what looks like part of a code is none. */
export async function findInFrame(frame: Frame, preprocessing: Preprocessing): Promise<Found | null> {
  const clear = preprocessed(frame, preprocessing)
  const options = optionsFor(preprocessing)
  const found = await decode(clear, options)
  if (!found || isPlausible(found.read)) return found
  // Some bars of another code look like a short ITF and hide it.
  return decode(clear, { ...options, formats: FORMATS.filter((format) => format !== 'ITF') })
}

/** The code in one frame of the camera. */
export async function readFrame(frame: Frame, preprocessing: Preprocessing): Promise<ScanResult | null> {
  return (await findInFrame(frame, preprocessing))?.read ?? null
}
