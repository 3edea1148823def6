/**
 * Pictures of ID cards, drawn from the modules of the symbol: the same seed gives the same pixels on every machine.
 * Used by the benchmark, the decoder's tests and the browser tests; no picture is stored as a file.
 */
import { createRequire } from 'node:module'
import type * as Bwip from 'bwip-js/node'
import jpeg from 'jpeg-js'

// In the CommonJS build, `raw` returns the modules of any symbol; the other build exports something else as `raw`.
const bwip = createRequire(import.meta.url)('bwip-js') as typeof Bwip

export type Symbology = 'Code128' | 'Code39' | 'QRCode' | 'EAN13' | 'ITF' | 'Codabar'
export const SYMBOLOGIES: readonly Symbology[] = ['Code128', 'Code39', 'QRCode', 'EAN13', 'ITF', 'Codabar']

/** Variants of EAN-13 that the scanner reads too, left out of the still benchmark. */
type Related = 'EAN8' | 'UPCA'

export type Card = { symbology: Symbology; text: string }

/** Removes the start and stop letters of a Codabar: a read is correct with or without them. */
export const bare = (text: string): string => text.replace(/^[A-D](\d+)[A-D]$/i, '$1')

/** Brightness per pixel, 0 to 255. */
export type Grey = { data: Float32Array; width: number; height: number }
export type Rgba = { data: Uint8ClampedArray<ArrayBuffer>; width: number; height: number }

/** Returns a reproducible generator of numbers from 0 to 1 (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

const digits = (random: () => number, count: number) =>
  Array.from({ length: count }, () => Math.floor(random() * 10)).join('')

function eanWithCheck(twelve: string): string {
  const sum = Array.from(twelve).reduce((total, digit, at) => total + Number(digit) * (at % 2 === 0 ? 1 : 3), 0)
  return twelve + String((10 - (sum % 10)) % 10)
}

/** Returns plausible cards of a school in one symbology. */
export function cards(symbology: Symbology, count = 10, seed = 7): Card[] {
  const random = randomFrom(seed + SYMBOLOGIES.indexOf(symbology) * 1000)
  const branch = () => ['CS', 'ME', 'EE', 'PH', 'CE'][Math.floor(random() * 5)] ?? 'CS'
  const text = (at: number): string => {
    switch (symbology) {
      case 'Code128':
        return `${branch()}26-${digits(random, 3 + (at % 3))}`
      case 'Code39':
        return `${branch()}26-${digits(random, 2 + (at % 2))}`
      case 'QRCode':
        return `${branch()}2026-${digits(random, 4 + (at % 4))}`
      case 'EAN13':
        return eanWithCheck(`978${digits(random, 9)}`)
      case 'ITF':
        return digits(random, 8 + 2 * (at % 3))
      case 'Codabar':
        return `A${digits(random, 7 + (at % 3))}B`
    }
  }
  return Array.from({ length: count }, (_, at) => ({ symbology, text: text(at) }))
}

const ENCODER: Readonly<Record<Symbology | Related, string>> = {
  Code128: 'code128',
  Code39: 'code39',
  QRCode: 'qrcode',
  EAN13: 'ean13',
  ITF: 'interleaved2of5',
  Codabar: 'rationalizedCodabar',
  EAN8: 'ean8',
  UPCA: 'upca',
}

type Drawable = { symbology: Symbology | Related; text: string }
type Modules = { across: number; down: number; dark: (x: number, y: number) => boolean }

/** Height of the bars in modules: fits on a card beside a name and a picture. */
const BAR_MODULES = 30
/** Size of a QR code's module relative to the narrowest bar. */
const DOT = 2

export function modulesOf({ symbology, text }: Drawable): Modules {
  const [symbol] = bwip.raw(ENCODER[symbology], text, {}) as { sbs?: number[]; pixs?: number[]; pixx?: number }[]
  if (symbol?.pixs && symbol.pixx) {
    const { pixs, pixx } = symbol
    const dark = (x: number, y: number) => pixs[Math.floor(y / DOT) * pixx + Math.floor(x / DOT)] === 1
    return { across: pixx * DOT, down: (pixs.length / pixx) * DOT, dark }
  }
  const bars: boolean[] = []
  for (const [at, width] of (symbol?.sbs ?? []).entries()) {
    for (let n = 0; n < width; n += 1) bars.push(at % 2 === 0)
  }
  return { across: bars.length, down: BAR_MODULES, dark: (x) => bars[x] === true }
}

export type Look = {
  width: number
  height: number
  /** Pixels per narrowest bar. */
  module: number
  /** Degrees, clockwise. */
  angle?: number
  /** Brightness of bars, card and table. */
  ink?: number
  paper?: number
  table?: number
  /** Offset from the middle, in pixels. */
  dx?: number
  dy?: number
}

/** Quiet zone around a symbol on its card, in modules. */
const QUIET = 10
const SAMPLES = 4

/** Draws a card with its symbol in the middle of a picture, without camera faults. */
export function drawn(card: Drawable, look: Look): Grey {
  const { width, height, module, angle = 0, ink = 0, paper = 255, table = paper, dx = 0, dy = 0 } = look
  const { across, down, dark } = modulesOf(card)
  const data = new Float32Array(width * height).fill(table)
  const cos = Math.cos((angle * Math.PI) / 180)
  const sin = Math.sin((angle * Math.PI) / 180)
  const reach = (Math.hypot(across + 2 * QUIET, down + 2 * QUIET) / 2) * module + 2
  const middleX = width / 2 + dx
  const middleY = height / 2 + dy
  const step = 1 / SAMPLES
  for (let y = Math.max(0, Math.floor(middleY - reach)); y < Math.min(height, middleY + reach); y += 1) {
    for (let x = Math.max(0, Math.floor(middleX - reach)); x < Math.min(width, middleX + reach); x += 1) {
      let sum = 0
      for (let part = 0; part < SAMPLES * SAMPLES; part += 1) {
        const fromX = x + ((part % SAMPLES) + 0.5) * step - middleX
        const fromY = y + (Math.floor(part / SAMPLES) + 0.5) * step - middleY
        const atX = (fromX * cos + fromY * sin) / module + across / 2
        const atY = (fromY * cos - fromX * sin) / module + down / 2
        if (atX < -QUIET || atY < -QUIET || atX >= across + QUIET || atY >= down + QUIET) sum += table
        else if (atX < 0 || atY < 0 || atX >= across || atY >= down) sum += paper
        else sum += dark(Math.floor(atX), Math.floor(atY)) ? ink : paper
      }
      data[y * width + x] = sum / (SAMPLES * SAMPLES)
    }
  }
  return { data, width, height }
}

/** Blurs a picture, as out of focus. */
export function blurred({ data, width, height }: Grey, sigma: number): Grey {
  const radius = Math.ceil(sigma * 3)
  const weights = Array.from({ length: 2 * radius + 1 }, (_, at) => Math.exp(-((at - radius) ** 2) / (2 * sigma ** 2)))
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  const along = new Float32Array(data.length)
  const out = new Float32Array(data.length)
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      let sum = 0
      for (let at = -radius; at <= radius; at += 1) {
        sum += data[y * width + Math.min(width - 1, Math.max(0, x + at))]! * weights[at + radius]!
      }
      along[y * width + x] = sum / total
    }
  }
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      let sum = 0
      for (let at = -radius; at <= radius; at += 1) {
        sum += along[Math.min(height - 1, Math.max(0, y + at)) * width + x]! * weights[at + radius]!
      }
      out[y * width + x] = sum / total
    }
  }
  return { data: out, width, height }
}

/** Adds the noise of a small sensor. */
export function noisy({ data, width, height }: Grey, sigma: number, random: () => number): Grey {
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
  return { data: data.map((value) => value + normal() * sigma), width, height }
}

/** Adds the shadow of a hand, with a steep edge across the symbol. */
export function shadowed({ data, width, height }: Grey, depth: number): Grey {
  return {
    data: data.map((value, at) => {
      const x = (at % width) - width / 2
      const y = Math.floor(at / width) - height / 2
      const share = 1 / (1 + Math.exp(-(x + y * 0.35) / 9))
      return value * (1 - depth * share)
    }),
    width,
    height,
  }
}

export function toRgba({ data, width, height }: Grey): Rgba {
  const out = new Uint8ClampedArray(width * height * 4)
  for (let at = 0; at < data.length; at += 1) {
    const value = data[at]!
    out[at * 4] = value
    out[at * 4 + 1] = value
    out[at * 4 + 2] = value
    out[at * 4 + 3] = 255
  }
  return { data: out, width, height }
}

export function toJpeg(picture: Rgba, quality: number): Buffer {
  return jpeg.encode({ ...picture, data: Buffer.from(picture.data.buffer) }, quality).data
}

/** Encodes a picture as JPEG and decodes it again. */
export function throughJpeg(picture: Rgba, quality: number): Rgba {
  const { data, width, height } = jpeg.decode(toJpeg(picture, quality), { useTArray: true, formatAsRGBA: true })
  return { data: new Uint8ClampedArray(data), width, height }
}

const WIDTH = 640
const HEIGHT = 480
const plain = { width: WIDTH, height: HEIGHT, module: 2 }

/** The fourteen conditions of the still pictures; 2 pixels per module by default. */
export const CONDITIONS: Readonly<Record<string, (card: Card, random: () => number) => Rgba>> = {
  clean: (card) => toRgba(drawn(card, plain)),
  'small (1.25 px per module)': (card) => toRgba(drawn(card, { ...plain, module: 1.25 })),
  'rotated 7°': (card) => toRgba(drawn(card, { ...plain, angle: 7 })),
  'rotated 20°': (card) => toRgba(drawn(card, { ...plain, angle: 20 })),
  'rotated 45°': (card) => toRgba(drawn(card, { ...plain, angle: 45 })),
  'rotated 90°': (card) => toRgba(drawn(card, { ...plain, angle: 90 })),
  'rotated 180°': (card) => toRgba(drawn(card, { ...plain, angle: 180 })),
  'blur σ 1.0': (card) => toRgba(blurred(drawn(card, plain), 1)),
  'blur σ 1.5': (card) => toRgba(blurred(drawn(card, plain), 1.5)),
  'low contrast (125 on 150)': (card) => toRgba(drawn(card, { ...plain, ink: 125, paper: 150 })),
  'noise σ 25': (card, random) => toRgba(noisy(drawn(card, plain), 25, random)),
  'shadow across the frame': (card) => toRgba(shadowed(drawn(card, plain), 0.82)),
  'photo (8°, blur, grey, JPEG 50)': (card, random) =>
    throughJpeg(
      toRgba(noisy(blurred(drawn(card, { ...plain, angle: 8, ink: 55, paper: 170, table: 120 }), 1.05), 4, random)),
      50,
    ),
  'hard photo (14°, blur, shadow, JPEG 30)': (card, random) =>
    throughJpeg(
      toRgba(
        noisy(
          shadowed(blurred(drawn(card, { ...plain, angle: 14, ink: 70, paper: 160, table: 110 }), 1.6), 0.6),
          8,
          random,
        ),
      ),
      30,
    ),
}
