/** Page of the camera benchmark: scans for a while; returns the cards in view and the texts read, with times. */
import { Html5Qrcode, Html5QrcodeSupportedFormats as Format } from 'html5-qrcode'
import { PAUSE_MS } from '../../src/features/scanner/acceptance'
import { Decoder } from '../../src/features/scanner/decoder'
import { Scanner } from '../../src/features/scanner/scanner'

export type Run = {
  /** Changes of the number in the picture; 0 for an empty table. */
  seen: { at: number; number: number }[]
  reads: { at: number; text: string }[]
  framesPerSecond: number
}

const FIELD = 40
const FIELDS = 16

function reader(): HTMLElement {
  const found = document.getElementById('reader')
  if (!found) throw new Error('The page has no #reader')
  return found
}

/** Records the numbers along the top of the film. */
function watch(video: () => HTMLVideoElement | null, seen: Run['seen']): () => void {
  const canvas = new OffscreenCanvas(FIELDS, 1)
  const context = canvas.getContext('2d', { willReadFrequently: true })
  let last = -1
  const timer = setInterval(() => {
    const source = video()
    if (!context || !source || source.videoWidth === 0) return
    const scale = source.videoWidth / 1280
    // One pixel from the middle of each field, all from the same picture.
    context.imageSmoothingEnabled = false
    context.drawImage(source, 0, 0, FIELDS * FIELD * scale, FIELD * scale, 0, 0, FIELDS, 1)
    const { data } = context.getImageData(0, 0, FIELDS, 1)
    let number = 0
    for (let field = 0; field < FIELDS; field += 1) if ((data[field * 4] ?? 0) > 128) number |= 1 << field
    if (number !== last) seen.push({ at: performance.now(), number })
    last = number
  }, 8)
  return () => clearInterval(timer)
}

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

async function ours(seconds: number): Promise<Run> {
  const video = document.createElement('video')
  video.muted = true
  video.playsInline = true
  video.style.cssText = 'display: block; width: 600px; height: 337px; object-fit: cover'
  reader().replaceChildren(video)
  const reads: Run['reads'] = []
  const seen: Run['seen'] = []
  const decoder = new Decoder()
  const scanner = new Scanner(video, decoder, ({ text }) => reads.push({ at: performance.now(), text }))
  await scanner.start()
  const { state, problem } = scanner.view()
  if (state !== 'scanning') throw new Error(`The scanner is ${state} (${problem})`)
  const stop = watch(() => video, seen)
  const before = scanner.frames
  const begun = performance.now()
  await wait(seconds * 1000)
  // The scanner pauses after each accepted card.
  const looked = performance.now() - begun - reads.length * PAUSE_MS
  const framesPerSecond = ((scanner.frames - before) * 1000) / looked
  stop()
  scanner.dispose()
  decoder.close()
  return { seen, reads, framesPerSecond }
}

async function html5Qrcode(seconds: number): Promise<Run> {
  reader().replaceChildren()
  const formats = [
    Format.CODE_128,
    Format.CODE_39,
    Format.CODABAR,
    Format.ITF,
    Format.EAN_13,
    Format.EAN_8,
    Format.QR_CODE,
  ]
  const scanner = new Html5Qrcode('reader', { verbose: false, formatsToSupport: formats })
  const reads: Run['reads'] = []
  const seen: Run['seen'] = []
  let frames = 0
  await scanner.start(
    { facingMode: 'environment' },
    {
      fps: 20,
      qrbox: { width: 250, height: 250 },
      videoConstraints: { facingMode: 'environment', width: { ideal: 1280 }, height: { ideal: 720 } },
    },
    (text) => {
      frames += 1
      reads.push({ at: performance.now(), text })
    },
    () => (frames += 1),
  )
  const stop = watch(() => reader().querySelector('video'), seen)
  frames = 0
  const begun = performance.now()
  await wait(seconds * 1000)
  const framesPerSecond = (frames * 1000) / (performance.now() - begun)
  stop()
  await scanner.stop()
  return { seen, reads, framesPerSecond }
}

declare global {
  interface Window {
    measure: (who: 'ours' | 'html5-qrcode', seconds: number) => Promise<Run>
  }
}

window.measure = (who, seconds) => (who === 'ours' ? ours(seconds) : html5Qrcode(seconds))
