/** Decodes in a worker, so that the camera's picture never stalls. */
import wasmUrl from 'zxing-wasm/reader/zxing_reader.wasm?url'
import type { ScanResult } from './acceptance'
import { prepareDecoder, readFrame } from './decode'
import type { Failure, Question, Reply } from './decoder'
import type { Frame } from './frames'
import { readStill, USUAL_LOOKS, type GoOn } from './still'

/** Loads the decoder's WebAssembly from this server. */
const ready = prepareDecoder({ locateFile: () => wasmUrl })
// The first request reports a failure; until then it needs no handling.
ready.catch(() => undefined)

/** Longest side of a picture for the first look, in pixels: most pictures are far larger than the code needs. */
const FIRST_LOOK = 1600

function pixelsOf(bitmap: ImageBitmap, longest: number): Frame {
  const scale = Math.min(1, longest / Math.max(bitmap.width, bitmap.height))
  const width = Math.max(1, Math.round(bitmap.width * scale))
  const height = Math.max(1, Math.round(bitmap.height * scale))
  const context = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true })
  if (!context) throw new Error('No canvas to draw the picture on')
  context.imageSmoothingQuality = 'high'
  context.drawImage(bitmap, 0, 0, width, height)
  return context.getImageData(0, 0, width, height)
}

/** Time limit for a picture, milliseconds; a desktop computer needs a tenth. */
const PATIENCE_MS = 3000

const cancelled = new Set<number>()

/**
 * Returns a function for the pause between two looks: it reports progress, and stops after a cancellation or the time
 * limit.
 */
function goOnFor(id: number): GoOn {
  const end = performance.now() + PATIENCE_MS
  return async (looks) => {
    postMessage({ id, progress: Math.min(1, looks / USUAL_LOOKS) } satisfies Reply)
    await new Promise((resolve) => setTimeout(resolve))
    return !cancelled.has(id) && performance.now() < end
  }
}

/** Reads a picture file. `createImageBitmap` applies the EXIF orientation, and knows every format of the browser. */
async function readPicture(id: number, picture: Blob) {
  const bitmap = await createImageBitmap(picture)
  const goOn = goOnFor(id)
  try {
    const read = await readStill(pixelsOf(bitmap, FIRST_LOOK), goOn)
    if (read || Math.max(bitmap.width, bitmap.height) <= FIRST_LOOK || !(await goOn(USUAL_LOOKS))) return read
    return await readStill(pixelsOf(bitmap, Infinity), goOn)
  } finally {
    cancelled.delete(id)
    bitmap.close()
  }
}

async function readingOf(question: Exclude<Question, { kind: 'cancel' }>): Promise<ScanResult | null> {
  switch (question.kind) {
    case 'frame':
      return readFrame(question.frame, question.preprocessing)
    case 'picture':
      return readPicture(question.id, question.picture)
  }
}

async function answer(question: Exclude<Question, { kind: 'cancel' }>): Promise<Reply> {
  let failed: Failure = 'missing'
  try {
    await ready
    failed = 'unreadable'
    return { id: question.id, read: await readingOf(question) }
  } catch (error) {
    return { id: question.id, failed, reason: error instanceof Error ? error.message : String(error) }
  }
}

addEventListener('message', ({ data }: MessageEvent<Question>) => {
  if (data.kind === 'cancel') cancelled.add(data.id)
  else void answer(data).then((reply) => postMessage(reply))
})
