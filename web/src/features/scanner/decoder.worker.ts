/** Reads codes beside the page, so that the picture never stalls. */
import wasmUrl from 'zxing-wasm/reader/zxing_reader.wasm?url'
import type { ScanResult } from './acceptance'
import { prepareDecoder, readFrame } from './decode'
import type { Failure, Question, Reply } from './decoder'
import type { Frame } from './frames'
import { readStill, USUAL_LOOKS, type GoOn } from './still'

/** The decoder's program comes from this very server. */
const ready = prepareDecoder({ locateFile: () => wasmUrl })
// Whoever asks first is told; meanwhile a failure is nothing to report.
ready.catch(() => undefined)

/** Pictures are looked at in this size first: most are far larger than the code in them needs. */
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

/** Longer than this nobody waits for a picture; on a computer it takes a tenth of it. */
const PATIENCE_MS = 3000

const cancelled = new Set<number>()

/** Lets the page speak between two looks at a picture, and tells it how far the reading is. */
function goOnFor(id: number): GoOn {
  const end = performance.now() + PATIENCE_MS
  return async (looks) => {
    postMessage({ id, progress: Math.min(1, looks / USUAL_LOOKS) } satisfies Reply)
    await new Promise((resolve) => setTimeout(resolve))
    return !cancelled.has(id) && performance.now() < end
  }
}

/** `createImageBitmap` turns the picture the way its EXIF data says, and knows every format that the browser shows. */
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
