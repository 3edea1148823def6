import {
  prepareZXingModule,
  readBarcodes,
  type Position,
  type ReaderOptions,
  type ZXingModuleOverrides,
} from 'zxing-wasm/reader'
import { isPlausible, type ScanResult } from './acceptance'
import { sharpenAndUpscale, normalizeLocalContrast, rotate, type Frame } from './frames'

/** Preprocessing of a frame: none, local contrast, sharpening, or rotation. */
export type Preprocessing = 'plain' | 'localContrast' | 'upscaled' | 'rotatedLeft' | 'rotatedRight' | 'rotated45'

/**
 * Rotations in degrees for bars that the decoder misses: the decoder reads bars up to about 11 degrees off the upright
 * or horizontal.
 */
const ROTATION = 22
const DIAGONAL = 45

/**
 * Symbologies of ID cards (R-SCAN-9); each further one costs time and false reads. Code 39 is the standard one only:
 * with its variants some codes of six characters would be read as Italian pharmacy numbers.
 */
const FORMATS = ['Code128', 'Code39Std', 'Codabar', 'ITF', 'EAN13', 'EAN8', 'UPCA', 'QRCode'] as const

export const OPTIONS: ReaderOptions = {
  formats: [...FORMATS],
  maxNumberOfSymbols: 1,
  // Scan lines of a barcode that must agree; with fewer, partial barcodes are misread more often.
  minLineCount: 4,
  // The text as a keyboard wedge would type it, without brackets around GS1 identifiers.
  textMode: 'Plain',
  // Cards are printed dark on light.
  tryInvert: false,
}

/** Sets the location of the decoder's WebAssembly; by default the library would fetch it from another host. */
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

/** Options for rectified bars. */
export const LINEAR: ReaderOptions = {
  ...OPTIONS,
  formats: FORMATS.filter((format) => format !== 'QRCode'),
  tryRotate: false,
  tryDownscale: false,
}

/**
 * Options for preprocessed frames: codes on their side and very large ones were tried in the plain frame. A code
 * rotated by 45 degrees may end upright or on its side, so there `tryRotate` is on.
 */
const LEVEL: ReaderOptions = { ...OPTIONS, tryRotate: false, tryDownscale: false }

function optionsFor(preprocessing: Preprocessing): ReaderOptions {
  if (preprocessing === 'plain' || preprocessing === 'localContrast') return OPTIONS
  return preprocessing === 'rotated45' ? { ...LEVEL, tryRotate: true } : LEVEL
}

/** Removes the leading zero of an EAN-13 that is a UPC-A, whose printed text has twelve digits. */
const asPrinted = ({ text, format }: ScanResult): ScanResult => ({
  text: format === 'UPCA' || format === 'EAN13' ? text.replace(/^0(?=\d{12}$)/, '') : text,
  format,
})

/** A code and its place in the frame; the corners of a bar code are the ends of the agreeing lines. */
export type Found = { read: ScanResult; corners: Position }

export async function decode({ data, width, height }: Frame, options: ReaderOptions): Promise<Found | null> {
  const results = await readBarcodes({ data, width, height, colorSpace: 'srgb' }, options)
  // The decoder reports a symbol that it cannot decode as an empty text, not as an exception.
  const found = results.find(({ isValid, text }) => isValid && text !== '')
  return found ? { read: asPrinted({ text: found.text, format: found.format }), corners: found.position } : null
}

/** Finds the code in a frame; ignores partial codes. */
export async function findInFrame(frame: Frame, preprocessing: Preprocessing): Promise<Found | null> {
  const clear = preprocessed(frame, preprocessing)
  const options = optionsFor(preprocessing)
  const found = await decode(clear, options)
  if (!found || isPlausible(found.read)) return found
  // Some bars of another code can look like a short ITF code, which hides the other code.
  return decode(clear, { ...options, formats: FORMATS.filter((format) => format !== 'ITF') })
}

/** Reads the code in one frame of the camera. */
export async function readFrame(frame: Frame, preprocessing: Preprocessing): Promise<ScanResult | null> {
  return (await findInFrame(frame, preprocessing))?.read ?? null
}
