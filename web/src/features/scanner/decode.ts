import { prepareZXingModule, readBarcodes, type ReaderOptions, type ZXingModuleOverrides } from 'zxing-wasm/reader'
import { isPlausible, type Read } from './acceptance'
import { enlarged, evenedOut, turned, type Frame } from './frames'

/** What is done to a frame before it is read: nothing, local contrast, sharpening, or a turn to either side. */
export type Treatment = 'plain' | 'even' | 'enlarged' | 'turnedLeft' | 'turnedRight'

const TURN = 22

/** What ID cards carry (R-SCAN-9); every further symbology would cost time and false reads. */
const FORMATS = ['Code128', 'Code39', 'Codabar', 'ITF', 'EAN13', 'EAN8', 'UPCA', 'QRCode'] as const

const OPTIONS: ReaderOptions = {
  formats: [...FORMATS],
  maxNumberOfSymbols: 1,
  // So many lines of a bar code must agree; fewer multiply false reads of partial codes.
  minLineCount: 4,
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
  }
}

/** The code in one frame of the camera; what looks like part of a code is none. */
export async function readFrame(frame: Frame, treatment: Treatment): Promise<Read | null> {
  const { data, width, height } = treated(frame, treatment)
  const results = await readBarcodes({ data, width, height, colorSpace: 'srgb' }, OPTIONS)
  // A symbol that was found and not understood comes as an empty text instead of an exception.
  const found = results.find(({ isValid, text }) => isValid && text !== '')
  if (!found) return null
  // A UPC-A comes as the EAN-13 that it is within; people see its twelve digits.
  const text = found.format === 'UPCA' ? found.text.replace(/^0(?=\d{12}$)/, '') : found.text
  const read = { text, format: found.format }
  return isPlausible(read) ? read : null
}

const ALL: readonly Treatment[] = ['plain', 'even', 'enlarged', 'turnedLeft', 'turnedRight']
/** A larger picture is not enlarged further. */
const MOST_TO_ENLARGE = 2_000_000

/**
 * The code in a picture that does not change: one treatment after the other until one reads. Interleaved 2 of 5 has no
 * check of its own, so two treatments must agree on it.
 */
export async function readStill(frame: Frame): Promise<Read | null> {
  const doubtful: Read[] = []
  for (const treatment of ALL) {
    if (treatment === 'enlarged' && frame.width * frame.height > MOST_TO_ENLARGE) continue
    // oxlint-disable-next-line no-await-in-loop -- each treatment is only needed when the one before failed
    const read = await readFrame(frame, treatment)
    if (!read) continue
    if (read.format !== 'ITF' || doubtful.some(({ text }) => text === read.text)) return read
    doubtful.push(read)
  }
  return null
}
