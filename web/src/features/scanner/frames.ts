/** RGBA pixels as the decoder takes them; compatible with `ImageData`. */
export type Frame = { readonly data: Uint8ClampedArray<ArrayBuffer>; readonly width: number; readonly height: number }

/** Brightness per pixel, 0 to 255. */
export type Grey<Values = Float32Array | Uint8Array> = {
  readonly data: Values
  readonly width: number
  readonly height: number
}

/** Part of a picture, in the picture's pixels. */
export type Region = { x: number; y: number; width: number; height: number }

/** Side of the scan box in CSS pixels, and the smallest useful one (R-SCAN-1, R-SCAN-6). */
export const BOX = 250
export const SMALLEST_BOX = 50

/** Returns the side of a box that fits into the element with a margin; null if it would be too small to scan. */
export function boxFor(width: number, height: number): number | null {
  const side = Math.floor(Math.min(BOX, width - 16, height - 16))
  return side >= SMALLEST_BOX ? side : null
}

type Shown = { videoWidth: number; videoHeight: number; clientWidth: number; clientHeight: number }

/**
 * Returns the pixels of the camera's picture under the box in the middle. The picture covers the element (`object-fit:
 * cover`) and is enlarged `zoom` times; pixels are never scaled down.
 */
export function regionUnder(box: number, shown: Shown, zoom = 1): Region {
  const { videoWidth, videoHeight, clientWidth, clientHeight } = shown
  const scale = Math.max(clientWidth / videoWidth, clientHeight / videoHeight) * zoom
  const width = Math.min(videoWidth, Math.round(box / scale))
  const height = Math.min(videoHeight, Math.round(box / scale))
  return { x: Math.round((videoWidth - width) / 2), y: Math.round((videoHeight - height) / 2), width, height }
}

export function luminance({ data, width, height }: Frame): Grey<Uint8Array> {
  const grey = new Uint8Array(width * height)
  for (let at = 0, from = 0; at < grey.length; at += 1, from += 4) {
    grey[at] = (data[from]! * 77 + data[from + 1]! * 150 + data[from + 2]! * 29) >> 8
  }
  return { data: grey, width, height }
}

/** Creates a frame, and a view of its pixels as 32-bit numbers, to be filled with shades of grey. */
function blank(width: number, height: number): { frame: Frame; pixels: Uint32Array } {
  const data = new Uint8ClampedArray(width * height * 4)
  return { frame: { data, width, height }, pixels: new Uint32Array(data.buffer) }
}

/** Returns the RGBA pixel for a brightness, clamped to black and white. */
function pixelOf(grey: number): number {
  const value = grey < 0 ? 0 : grey > 255 ? 255 : grey | 0
  return 0xff000000 | (value * 0x010101)
}

/** Converts rows of brightness to a frame, each row repeated `times` times. */
export function toFrame({ data, width, height }: Grey, times = 1): Frame {
  const { frame, pixels } = blank(width, height * times)
  for (let y = 0; y < height * times; y += 1) {
    const row = Math.floor(y / times) * width
    for (let x = 0; x < width; x += 1) pixels[y * width + x] = pixelOf(data[row + x]!)
  }
  return frame
}

/** Side of the examined fields, and margin kept around those with print. */
const FIELD = 16
const ROOM = 48
/** Minimum change between neighbouring pixels in print, absolute and relative to the noise of most fields. */
const LEAST_CHANGE = 3
const ABOVE_NOISE = 2.5

/** Returns the average change between neighbouring pixels in each field, row by row. */
function changes({ data, width, height }: Frame): Float32Array {
  const across = Math.floor((width - 1) / FIELD)
  const down = Math.floor((height - 1) / FIELD)
  const result = new Float32Array(across * down)
  for (let row = 0; row < down; row += 1) {
    for (let column = 0; column < across; column += 1) {
      let sum = 0
      // Every other line, and green alone, are enough to find print.
      for (let y = row * FIELD; y < (row + 1) * FIELD; y += 2) {
        const from = (y * width + column * FIELD) * 4 + 1
        for (let at = from; at < from + FIELD * 4; at += 4) {
          const value = data[at]!
          sum += Math.abs(value - data[at + 4]!) + Math.abs(value - data[at + width * 4]!)
        }
      }
      result[row * across + column] = sum / (FIELD * FIELD * 0.5)
    }
  }
  return result
}

/** Crops a picture to the part with print; the rest need not be examined again. */
export function cropToPrint(frame: Frame): Frame {
  const { data, width, height } = frame
  const fields = changes(frame)
  const sorted = fields.toSorted()
  const least = Math.max(LEAST_CHANGE, ABOVE_NOISE * (sorted[sorted.length >> 1] ?? 0))
  // There is print everywhere, or only noise.
  if (least > (sorted.at(-1) ?? 0) / 2) return frame
  let [left, top, right, bottom] = [width, height, 0, 0]
  const across = Math.floor((width - 1) / FIELD)
  for (const [at, change] of fields.entries()) {
    if (change < least) continue
    const x = (at % across) * FIELD
    const y = Math.floor(at / across) * FIELD
    left = Math.min(left, x)
    top = Math.min(top, y)
    right = Math.max(right, x + FIELD)
    bottom = Math.max(bottom, y + FIELD)
  }
  if (right <= left) return frame
  left = Math.max(0, left - ROOM)
  top = Math.max(0, top - ROOM)
  right = Math.min(width, right + ROOM)
  bottom = Math.min(height, bottom + ROOM)
  const part = new Uint8ClampedArray((right - left) * (bottom - top) * 4)
  for (let y = top; y < bottom; y += 1) {
    part.set(data.subarray((y * width + left) * 4, (y * width + right) * 4), (y - top) * (right - left) * 4)
  }
  return { data: part, width: right - left, height: bottom - top }
}

/** Returns the mean brightness of the square of `reach` pixels around each pixel; smaller at the edges. */
function surroundings(grey: Uint8Array, width: number, height: number, reach: number): Float32Array {
  const means = new Float32Array(width * height)
  // Sums of the rows around the current one, by column.
  const columns = new Uint32Array(width)
  const add = (row: number, sign: 1 | -1) => {
    for (let x = 0, at = row * width; x < width; x += 1, at += 1) columns[x]! += sign * grey[at]!
  }
  for (let y = 0; y < Math.min(reach, height); y += 1) add(y, 1)
  for (let y = 0, at = 0; y < height; y += 1) {
    if (y + reach < height) add(y + reach, 1)
    if (y > reach) add(y - reach - 1, -1)
    const rows = Math.min(height - 1, y + reach) - Math.max(0, y - reach) + 1
    let sum = 0
    for (let x = 0; x < Math.min(reach, width); x += 1) sum += columns[x]!
    for (let x = 0; x < width; x += 1, at += 1) {
      if (x + reach < width) sum += columns[x + reach]!
      if (x > reach) sum -= columns[x - reach - 1]!
      const across = (x + reach < width ? x + reach : width - 1) - (x > reach ? x - reach : 0) + 1
      means[at] = sum / (rows * across)
    }
  }
  return means
}

/**
 * Brightness given to unprinted areas: as light as the gaps between bars; otherwise the decoder would take the rim for
 * ink (`bench/scanner`).
 */
const PAPER = 176

/** Divides each pixel by the brightness around it: shadows and glare disappear, bars stay. */
export function normalizeLocalContrast(frame: Frame): Frame {
  const { width, height } = frame
  const grey = luminance(frame).data
  const means = surroundings(grey, width, height, 16)
  const even = blank(width, height)
  for (let at = 0; at < grey.length; at += 1)
    even.pixels[at] = pixelOf(PAPER + (grey[at]! / (means[at]! + 1) - 1) * 200)
  return even.frame
}

/** Sharpens and doubles a frame: gives blurred or distant codes edges again. */
export function sharpenAndUpscale(frame: Frame): Frame {
  const { width, height } = frame
  const grey = luminance(frame).data
  const sharp = surroundings(grey, width, height, 2)
  for (let at = 0; at < grey.length; at += 1) sharp[at] = grey[at]! + 2 * (grey[at]! - sharp[at]!)
  const large = blank(width * 2, height * 2)
  const line = new Float32Array(width)
  for (let row = 0, to = 0; row < height * 2; row += 1) {
    // The result's pixel centres are a quarter of a pixel beside those of the frame, on either side.
    const y = row >> 1
    const here = y * width
    const next = Math.min(height - 1, Math.max(0, y + (row & 1 ? 1 : -1))) * width
    for (let x = 0; x < width; x += 1) line[x] = sharp[here + x]! * 0.75 + sharp[next + x]! * 0.25
    for (let x = 0; x < width; x += 1, to += 2) {
      const middle = line[x]! * 0.75
      large.pixels[to] = pixelOf(middle + line[x === 0 ? 0 : x - 1]! * 0.25)
      large.pixels[to + 1] = pixelOf(middle + line[x === width - 1 ? x : x + 1]! * 0.25)
    }
  }
  return large.frame
}

/** Fixed-point unit of positions in a frame. */
const PARTS = 1 << 12

/**
 * Rotates the frame around its centre and enlarges it to keep all of it, so that slanted bars cross the decoder's
 * lines.
 */
export function rotate(frame: Frame, degrees: number): Frame {
  const grey = luminance(frame).data
  const angle = (degrees * Math.PI) / 180
  const cos = Math.cos(angle)
  const sin = Math.sin(angle)
  const width = Math.ceil(frame.width * Math.abs(cos) + frame.height * Math.abs(sin) - 1e-9)
  const height = Math.ceil(frame.width * Math.abs(sin) + frame.height * Math.abs(cos) - 1e-9)
  const { frame: result, pixels } = blank(width, height)
  pixels.fill(pixelOf(255))
  const stepX = Math.round(cos * PARTS)
  const stepY = -Math.round(sin * PARTS)
  const endX = (frame.width - 1) * PARTS
  const endY = (frame.height - 1) * PARTS
  for (let y = 0, to = 0; y < height; y += 1) {
    const [right, down] = [-(width - 1) / 2, y - (height - 1) / 2]
    let fromX = Math.round(((frame.width - 1) / 2 + right * cos + down * sin) * PARTS)
    let fromY = Math.round(((frame.height - 1) / 2 - right * sin + down * cos) * PARTS)
    for (let x = 0; x < width; x += 1, to += 1, fromX += stepX, fromY += stepY) {
      if (fromX < 0 || fromY < 0 || fromX >= endX || fromY >= endY) continue
      const at = Math.floor(fromY / PARTS) * frame.width + Math.floor(fromX / PARTS)
      const alongX = (fromX % PARTS) / PARTS
      const above = grey[at]! + (grey[at + 1]! - grey[at]!) * alongX
      const below = grey[at + frame.width]! + (grey[at + frame.width + 1]! - grey[at + frame.width]!) * alongX
      pixels[to] = pixelOf(above + ((below - above) * (fromY % PARTS)) / PARTS)
    }
  }
  return result
}
