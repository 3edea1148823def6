/**
 * Simulated phone photographs of whole ID cards: a printed card with its portrait, lines of text and a code on a table,
 * at an angle, in uneven light, out of focus or moving, with a finger on it, compressed as JPEG. The same seed gives
 * the same pixels on every machine.
 */
import { modulesOf, randomFrom, throughJpeg, toRgba, type Grey, type Rgba } from './cards'

export const PHOTO_SYMBOLOGIES = ['Code128', 'Code39', 'Codabar', 'ITF', 'EAN13', 'EAN8', 'UPCA', 'QRCode'] as const
type PhotoSymbology = (typeof PHOTO_SYMBOLOGIES)[number]

export const GRADES = ['easy', 'medium', 'hard'] as const
export type Grade = (typeof GRADES)[number]

export type Photo = { name: string; grade: Grade; symbology: PhotoSymbology; text: string; picture: Rgba }

const WIDTH = 1280
const HEIGHT = 720
/** Size of an ID-1 card in millimetres. */
const CARD = { width: 85.6, height: 54 }
/** Dots per millimetre of the printed card: finer than any photograph here resolves. */
const DPMM = 24
/** Focal length of a phone's lens, in pixels of the photograph. */
const FOCAL = 1050

type Random = () => number
type Range = readonly [from: number, to: number]

/** Ranges of the faults in a grade's photographs. */
type Faults = {
  /** Width of the card in pixels, before the tilt. */
  size: Range
  /** Degrees of the tilt against the lens, and of the rotation within the picture to either side. */
  tilt: Range
  turn: Range
  /** Standard deviation of the defocus, and length of the path of a shaking hand, in pixels. */
  blur: Range
  motion: Range
  /** Share of light that a shadow removes; brightness that a lamp adds. */
  shadow: Range
  glare: Range
  noise: Range
  quality: Range
  /** Percentage of cards rotated by 90 or 180 degrees, and of cards with a finger. */
  upended: number
  finger: number
}

const FAULTS: Readonly<Record<Grade, Faults>> = {
  easy: {
    size: [680, 920],
    tilt: [10, 18],
    turn: [0, 8],
    blur: [0.4, 1],
    motion: [0, 2],
    shadow: [0, 0.35],
    glare: [0, 60],
    noise: [1, 4],
    quality: [75, 90],
    upended: 10,
    finger: 10,
  },
  medium: {
    size: [640, 920],
    tilt: [14, 26],
    turn: [0, 15],
    blur: [0.5, 1.25],
    motion: [0, 2.5],
    shadow: [0.2, 0.55],
    glare: [30, 120],
    noise: [2, 6],
    quality: [55, 80],
    upended: 12,
    finger: 25,
  },
  hard: {
    size: [600, 900],
    tilt: [20, 35],
    turn: [0, 30],
    blur: [0.6, 1.6],
    motion: [0, 4],
    shadow: [0.3, 0.7],
    glare: [60, 190],
    noise: [3, 9],
    quality: [35, 65],
    upended: 12,
    finger: 45,
  },
}

const between = (random: Random, [from, to]: Range) => from + random() * (to - from)
const whole = (random: Random, from: number, to: number) => Math.floor(between(random, [from, to + 1]))
const digits = (random: Random, count: number) => Array.from({ length: count }, () => whole(random, 0, 9)).join('')
const letters = (random: Random, count: number) =>
  Array.from({ length: count }, () => String.fromCharCode(65 + whole(random, 0, 25))).join('')

/** Appends the check digit of the EAN family: weights 3 and 1 from the right. */
function withCheck(payload: string): string {
  const sum = Array.from(payload)
    .toReversed()
    .reduce((total, digit, at) => total + Number(digit) * (at % 2 === 0 ? 3 : 1), 0)
  return payload + String((10 - (sum % 10)) % 10)
}

function textOf(symbology: PhotoSymbology, random: Random): string {
  switch (symbology) {
    case 'Code128':
      return `${letters(random, 2)}${digits(random, 2)}-${digits(random, whole(random, 3, 5))}`
    case 'Code39':
      return `${letters(random, 2)}${digits(random, whole(random, 4, 6))}`
    case 'Codabar':
      return `A${digits(random, whole(random, 7, 10))}B`
    case 'ITF':
      return digits(random, 2 * whole(random, 4, 6))
    case 'EAN13':
      return withCheck(`2${digits(random, 11)}`)
    case 'EAN8':
      return withCheck(digits(random, 7))
    case 'UPCA':
      return withCheck(digits(random, 11))
    case 'QRCode':
      return `${letters(random, 2)}20${digits(random, 2)}-${digits(random, whole(random, 4, 8))}`
  }
}

/** Printed side of a card, one brightness per dot. */
class Print {
  readonly width = Math.round(CARD.width * DPMM)
  readonly height = Math.round(CARD.height * DPMM)
  readonly dots: Float32Array

  constructor(paper: number) {
    this.dots = new Float32Array(this.width * this.height).fill(paper)
  }

  /** Fills a rectangle, given in millimetres. */
  fill(x: number, y: number, width: number, height: number, ink: number | ((u: number, v: number) => number)): void {
    const [left, top] = [Math.max(0, Math.round(x * DPMM)), Math.max(0, Math.round(y * DPMM))]
    const right = Math.min(this.width, Math.round((x + width) * DPMM))
    const bottom = Math.min(this.height, Math.round((y + height) * DPMM))
    for (let row = top; row < bottom; row += 1) {
      for (let column = left; column < right; column += 1) {
        const value =
          typeof ink === 'number' ? ink : ink((column - left) / (right - left), (row - top) / (bottom - top))
        if (value >= 0) this.dots[row * this.width + column] = value
      }
    }
  }

  /** Draws a line of meaningless signs made of strokes, which looks like text. */
  line(x: number, y: number, length: number, size: number, ink: number, random: Random): void {
    const stroke = size * 0.16
    for (let at = x; at < x + length; at += size * 0.75) {
      if (random() < 0.15) continue
      const wide = size * 0.52
      const strokes = [
        [0, 0, stroke, size],
        [wide - stroke, 0, stroke, size],
        [0, 0, wide, stroke],
        [0, (size - stroke) / 2, wide, stroke],
        [0, size - stroke, wide, stroke],
        [(wide - stroke) / 2, 0, stroke, size],
      ] as const
      for (const [dx, dy, width, height] of strokes) {
        if (random() < 0.5) this.fill(at + dx, y + dy, width, height, ink)
      }
    }
  }
}

/** Card, and the area of its code in millimetres. */
type Printed = { print: Print; code: { x: number; y: number; width: number; height: number } }

/** Prints a card as a school does: a band with its name, a portrait, lines of text, a border and the code. */
function printed(symbology: PhotoSymbology, text: string, random: Random): Printed {
  const paper = between(random, [205, 245])
  const ink = between(random, [15, 55])
  const print = new Print(paper)
  const band = between(random, [7, 11])
  const bandInk = between(random, [50, 150])
  print.fill(0, 0, CARD.width, band, bandInk)
  print.line(5, band * 0.3, between(random, [35, 60]), band * 0.4, 235, random)
  if (random() < 0.5) {
    // Border around the card.
    for (const [x, y, width, height] of [
      [1.5, 1.5, CARD.width - 3, 0.4],
      [1.5, CARD.height - 1.9, CARD.width - 3, 0.4],
      [1.5, 1.5, 0.4, CARD.height - 3],
      [CARD.width - 1.9, 1.5, 0.4, CARD.height - 3],
    ] as const) {
      print.fill(x, y, width, height, ink)
    }
  }
  const { across, down, dark } = modulesOf({ symbology, text })
  const isQr = symbology === 'QRCode'
  const module = isQr ? between(random, [0.32, 0.42]) : Math.min(between(random, [0.28, 0.4]), 66 / across)
  const width = across * module
  const height = isQr ? down * module : between(random, [8, 13])
  const onLeft = random() < 0.5
  const portrait = { width: 18, height: 22, y: band + 2.5 }
  let x = (CARD.width - width) / 2 + between(random, [-1, 1]) * Math.max(0, (CARD.width - width) / 2 - 7)
  let y = CARD.height - height - between(random, [4, 6])
  let portraitX = onLeft ? 5 : CARD.width - 23
  let from = onLeft ? 27 : 5
  if (isQr) {
    x = onLeft ? CARD.width - width - 8 : 8
    y = CARD.height - height - 8
    portraitX = onLeft ? 5 : CARD.width - 23
    from = onLeft ? 26 : 10 + width
  }
  print.fill(portraitX, portrait.y, portrait.width, portrait.height, (u, v) => {
    const head = Math.hypot((u - 0.5) / 0.26, (v - 0.42) / 0.3)
    if (head < 1) return v < 0.26 ? 45 : 165 - 40 * head + 12 * Math.sin(u * 40) * (v > 0.4 ? 0.4 : 0)
    return v > 0.72 && Math.abs(u - 0.5) < 0.2 + (v - 0.72) ? 75 : 190 - 30 * v
  })
  const long = isQr ? Math.max(12, CARD.width - from - (onLeft ? width + 11 : 26)) : 48
  const lines = isQr ? 5 : 3
  for (let at = 0; at < lines; at += 1) {
    const size = at === 0 ? 3 : 2.1
    print.line(from, band + 3.5 + at * 4.6, long * between(random, [0.5, 1]), size, ink, random)
  }
  // White background of the code, with the quiet zone that the symbology requires.
  const quiet = module * (isQr ? 8 : 10)
  print.fill(x - quiet, y - 1, width + 2 * quiet, height + (isQr ? 2 : 1), Math.min(250, paper + 8))
  const dot = 1 / DPMM
  print.fill(x, y, width, height, (u, v) => {
    // Printer dots do not align with the modules, and ink spreads a little.
    const spread = 0.02 / module
    const [atX, atY] = [u * across, v * down]
    const inked =
      dark(Math.floor(atX), Math.floor(atY)) ||
      (!isQr && (dark(Math.floor(atX - spread), 0) || dark(Math.floor(atX + spread), 0)))
    return inked ? ink : -1
  })
  if (!isQr) print.line(x + width * 0.1, y + height + 4 * dot, width * 0.8, 2.2, ink, random)
  return { print, code: { x, y, width, height } }
}

/**
 * Maps a point of the card (in millimetres from its middle) to a pixel, and back: (a·x + b·y + c) / (g·x + h·y + i)
 * across and (d·x + e·y + f) / (g·x + h·y + i) down.
 */
type View = { toPixel: (x: number, y: number) => [number, number]; toCard: readonly number[] }

function seenFrom(tilt: number, tiltAxis: number, turn: number, distance: number, dx: number, dy: number): View {
  const [ct, st] = [Math.cos(tilt), Math.sin(tilt)]
  const [ca, sa] = [Math.cos(tiltAxis), Math.sin(tiltAxis)]
  const [cr, sr] = [Math.cos(turn), Math.sin(turn)]
  // Rotates the card in its own plane, then tilts it around an axis of that plane.
  const rotated = (x: number, y: number) => {
    const [px, py] = [x * cr - y * sr, x * sr + y * cr]
    const along = px * ca + py * sa
    const off = -px * sa + py * ca
    return [along * ca - off * ct * sa, along * sa + off * ct * ca, off * st] as const
  }
  const [ex, ey] = [rotated(1, 0), rotated(0, 1)]
  const [middleX, middleY] = [WIDTH / 2 + dx, HEIGHT / 2 + dy]
  const centred = (u: number, v: number, one: number) => [
    u / FOCAL,
    v / FOCAL,
    one - (u * middleX + v * middleY) / FOCAL,
  ]
  return {
    toPixel: (x, y) => {
      const [px, py, pz] = rotated(x, y)
      const scale = FOCAL / (distance + pz)
      return [middleX + px * scale, middleY + py * scale]
    },
    // The ray (u, v, 1) with u = (x - middleX) / FOCAL meets the plane: x·ex + y·ey + (0, 0, distance) = s·(u, v, 1).
    toCard: [
      ...centred(ey[1] * distance, -ey[0] * distance, 0),
      ...centred(-ex[1] * distance, ex[0] * distance, 0),
      ...centred(ex[1] * ey[2] - ex[2] * ey[1], ex[2] * ey[0] - ex[0] * ey[2], ex[0] * ey[1] - ex[1] * ey[0]),
    ],
  }
}

/** Samples per pixel and direction: the sensor's pixel gathers light from its whole area. */
const SAMPLES = 2

function photographed({ print }: Printed, view: View, random: Random): Grey {
  const data = new Float32Array(WIDTH * HEIGHT)
  const table = between(random, [60, 190])
  const grain = between(random, [0, 14])
  const [grainX, grainY] = [between(random, [0.01, 0.05]), between(random, [0.05, 0.3])]
  const round = 3.2
  const { width, height, dots } = print
  const [a, b, c, d, e, f, g, h, i] = view.toCard as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  const [halfWidth, halfHeight] = [CARD.width / 2, CARD.height / 2]
  for (let y = 0, at = 0; y < HEIGHT; y += 1) {
    for (let x = 0; x < WIDTH; x += 1, at += 1) {
      // Wood grain of the table.
      const wave = Math.sin(y * grainY + 3 * Math.sin(x * grainX)) + 0.5 * Math.sin(y * grainY * 2.7 + x * grainX)
      const beside = table + grain * wave
      let sum = 0
      for (let part = 0; part < SAMPLES * SAMPLES; part += 1) {
        const pixelX = x + ((part % SAMPLES) + 0.5) / SAMPLES
        const pixelY = y + (Math.floor(part / SAMPLES) + 0.5) / SAMPLES
        const depth = g * pixelX + h * pixelY + i
        const cardX = (a * pixelX + b * pixelY + c) / depth
        const cardY = (d * pixelX + e * pixelY + f) / depth
        const offX = Math.abs(cardX) - halfWidth
        const offY = Math.abs(cardY) - halfHeight
        const isCard =
          offX < 0 && offY < 0 && (offX < -round || offY < -round || Math.hypot(offX + round, offY + round) < round)
        if (!isCard) {
          sum += beside
          continue
        }
        const fromX = Math.min(width - 2, Math.max(0, (cardX + halfWidth) * DPMM - 0.5))
        const fromY = Math.min(height - 1, Math.max(0, Math.round((cardY + halfHeight) * DPMM - 0.5)))
        const left = Math.floor(fromX)
        const index = fromY * width + left
        sum += dots[index]! + (dots[index + 1]! - dots[index]!) * (fromX - left)
      }
      data[at] = sum / (SAMPLES * SAMPLES)
    }
  }
  return { data, width: WIDTH, height: HEIGHT }
}

/** Adds a finger that reaches in from outside the card, up to a point. */
function withFinger(
  { data, width, height }: Grey,
  tipX: number,
  tipY: number,
  angle: number,
  thick: number,
  skin: number,
): void {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)]
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const along = (x - tipX) * cos + (y - tipY) * sin
      const off = -(x - tipX) * sin + (y - tipY) * cos
      const distance = along < 0 ? Math.hypot(along * 1.1, off) : Math.abs(off)
      if (distance < thick) data[y * width + x] = skin * (1 - 0.35 * (distance / thick) ** 2)
    }
  }
}

/** Adds light that falls off to one side, a shadow with a soft edge, and the reflection of a lamp. */
function lit(grey: Grey, code: readonly [number, number], faults: Faults, random: Random): void {
  const { data, width, height } = grey
  const fall = between(random, [0.05, 0.3])
  const fallAngle = random() * 2 * Math.PI
  const [fallX, fallY] = [(Math.cos(fallAngle) * fall) / width, (Math.sin(fallAngle) * fall) / width]
  const near = (spread: number) =>
    [code[0] + between(random, [-1, 1]) * spread, code[1] + between(random, [-1, 1]) * spread] as const
  const depth = between(random, faults.shadow)
  const [shadowX, shadowY] = near(150)
  const shadowAngle = random() * 2 * Math.PI
  const [shadowCos, shadowSin] = [Math.cos(shadowAngle), Math.sin(shadowAngle)]
  const softness = between(random, [6, 40])
  const glare = between(random, faults.glare)
  const [glareX, glareY] = near(200)
  const [glareA, glareB] = [between(random, [50, 160]), between(random, [30, 90])]
  const glareAngle = random() * Math.PI
  const [glareCos, glareSin] = [Math.cos(glareAngle), Math.sin(glareAngle)]
  const exposure = between(random, [0.72, 1.05])
  for (let y = 0, at = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1, at += 1) {
      const light = 1 + (x - width / 2) * fallX + (y - height / 2) * fallY
      const shade = depth / (1 + Math.exp(-((x - shadowX) * shadowCos + (y - shadowY) * shadowSin) / softness))
      const along = ((x - glareX) * glareCos + (y - glareY) * glareSin) / glareA
      const off = (-(x - glareX) * glareSin + (y - glareY) * glareCos) / glareB
      const value = data[at]! * exposure * light * (1 - shade) + glare * Math.exp(-(along * along + off * off) / 2)
      data[at] = value
    }
  }
}

/** Applies motion blur along a path of the given length, then defocus as a Gaussian. */
function smeared({ data, width, height }: Grey, length: number, angle: number, sigma: number): Grey {
  let from = data
  if (length > 0.3) {
    const steps = Math.max(2, Math.ceil(length * 2))
    const moved = new Float32Array(data.length)
    const [dx, dy] = [Math.cos(angle), Math.sin(angle)]
    for (let step = 0; step < steps; step += 1) {
      const off = ((step + 0.5) / steps - 0.5) * length
      const [x0, y0] = [Math.floor(off * dx), Math.floor(off * dy)]
      const [partX, partY] = [off * dx - x0, off * dy - y0]
      const weights = [(1 - partX) * (1 - partY), partX * (1 - partY), (1 - partX) * partY, partX * partY] as const
      for (let y = 0, at = 0; y < height; y += 1) {
        const above = Math.min(height - 1, Math.max(0, y + y0)) * width
        const below = Math.min(height - 1, Math.max(0, y + y0 + 1)) * width
        for (let x = 0; x < width; x += 1, at += 1) {
          const left = Math.min(width - 1, Math.max(0, x + x0))
          const right = Math.min(width - 1, Math.max(0, x + x0 + 1))
          moved[at]! +=
            (from[above + left]! * weights[0] +
              from[above + right]! * weights[1] +
              from[below + left]! * weights[2] +
              from[below + right]! * weights[3]) /
            steps
        }
      }
    }
    from = moved
  }
  return gaussian({ data: from, width, height }, sigma)
}

/** Applies a separable Gaussian with repeated edge pixels; both passes go row by row for the CPU cache. */
function gaussian({ data, width, height }: Grey, sigma: number): Grey {
  const radius = Math.ceil(sigma * 3)
  const weights = Array.from({ length: 2 * radius + 1 }, (_, at) => Math.exp(-((at - radius) ** 2) / (2 * sigma ** 2)))
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  const across = new Float32Array(data.length)
  const out = new Float32Array(data.length)
  for (const [at, weight] of weights.entries()) {
    const share = weight / total
    const off = at - radius
    for (let y = 0; y < height; y += 1) {
      const row = y * width
      for (let x = 0; x < width; x += 1) {
        across[row + x]! += share * data[row + Math.min(width - 1, Math.max(0, x + off))]!
      }
    }
  }
  for (const [at, weight] of weights.entries()) {
    const share = weight / total
    for (let y = 0; y < height; y += 1) {
      const to = y * width
      const row = Math.min(height - 1, Math.max(0, y + at - radius)) * width
      for (let x = 0; x < width; x += 1) out[to + x]! += share * across[row + x]!
    }
  }
  return { data: out, width, height }
}

function sensed({ data }: Grey, noise: number, random: Random): void {
  for (let at = 0; at < data.length; at += 1) {
    // Noise grows with brightness; the sum of three uniform numbers approximates a normal distribution.
    const bell = (random() + random() + random() - 1.5) * 2
    data[at]! += bell * noise * (0.6 + data[at]! / 320)
  }
}

/** Takes a photograph of a card. */
export function photo(grade: Grade, symbology: PhotoSymbology, seed: number): Photo {
  const random = randomFrom(seed)
  const faults = FAULTS[grade]
  const text = textOf(symbology, random)
  const side = printed(symbology, text, random)
  const tilt = (between(random, faults.tilt) * Math.PI) / 180
  const sign = random() < 0.5 ? -1 : 1
  const upended = random() * 100 < faults.upended ? whole(random, 1, 3) * 90 : 0
  const turn = ((sign * between(random, faults.turn) + upended) * Math.PI) / 180
  // No larger than the picture: the whole card is visible.
  const pixelsPerMm = Math.min(between(random, faults.size) / CARD.width, upended % 180 === 0 ? Infinity : 8.2)
  const distance = FOCAL / pixelsPerMm
  const view = seenFrom(
    tilt,
    random() * 2 * Math.PI,
    turn,
    distance,
    between(random, [-60, 60]),
    between(random, [-40, 40]),
  )
  const picture = photographed(side, view, random)
  const { x, y, width, height } = side.code
  const middle = view.toPixel(x + width / 2 - CARD.width / 2, y + height / 2 - CARD.height / 2)
  if (random() * 100 < faults.finger) {
    // The finger covers part of the bars; it comes from below the card, or from the side beside the code.
    const isQr = symbology === 'QRCode'
    const reach = isQr ? between(random, [0.9, 1.1]) : between(random, [0.45, 0.95])
    const tip = [
      x + width * between(random, [0.15, 0.85]) - CARD.width / 2,
      y + height * reach - CARD.height / 2,
    ] as const
    const [tipX, tipY] = view.toPixel(...tip)
    const [awayX, awayY] = view.toPixel(tip[0] + between(random, [-4, 4]), tip[1] + 10)
    const thick = 7 * pixelsPerMm
    withFinger(
      picture,
      tipX + (awayX - tipX) * 0.7,
      tipY + (awayY - tipY) * 0.7,
      Math.atan2(awayY - tipY, awayX - tipX),
      thick,
      between(random, [120, 175]),
    )
  }
  lit(picture, middle, faults, random)
  const blurred = smeared(picture, between(random, faults.motion), random() * Math.PI, between(random, faults.blur))
  sensed(blurred, between(random, faults.noise), random)
  const quality = Math.round(between(random, faults.quality))
  return {
    name: `${grade} ${symbology} ${seed}`,
    grade,
    symbology,
    text,
    picture: throughJpeg(toRgba(blurred), quality),
  }
}

/** Yields `perGrade` photographs of each grade, cycling through the symbologies. */
export function* photos(perGrade: number, seed: number): Generator<Photo> {
  for (const [index, grade] of GRADES.entries()) {
    for (let at = 0; at < perGrade; at += 1) {
      const symbology = PHOTO_SYMBOLOGIES[at % PHOTO_SYMBOLOGIES.length]!
      yield photo(grade, symbology, seed * 100_000 + index * 10_000 + at)
    }
  }
}
