/** RGBA pixels, as the decoder takes them; an `ImageData` is one. */
export type Frame = { readonly data: Uint8ClampedArray<ArrayBuffer>; readonly width: number; readonly height: number }

/** A part of a picture, in its own pixels. */
export type Region = { x: number; y: number; width: number; height: number }

/** The scan box in CSS pixels, and the smallest one that makes sense (R-SCAN-1, R-SCAN-6). */
export const BOX = 250
export const SMALLEST_BOX = 50

/** The box that fits into what is shown, with a rim around it; null when that would be too small to scan. */
export function boxFor(width: number, height: number): number | null {
  const side = Math.floor(Math.min(BOX, width - 16, height - 16))
  return side >= SMALLEST_BOX ? side : null
}

type Shown = { videoWidth: number; videoHeight: number; clientWidth: number; clientHeight: number }

/**
 * Which pixels of the camera's picture lie under the box in the middle. The picture covers the element (as
 * `object-fit: cover` does) and is enlarged `zoom` times; pixels are taken as they are, never scaled down.
 */
export function regionUnder(box: number, shown: Shown, zoom = 1): Region {
  const { videoWidth, videoHeight, clientWidth, clientHeight } = shown
  const scale = Math.max(clientWidth / videoWidth, clientHeight / videoHeight) * zoom
  const width = Math.min(videoWidth, Math.round(box / scale))
  const height = Math.min(videoHeight, Math.round(box / scale))
  return { x: Math.round((videoWidth - width) / 2), y: Math.round((videoHeight - height) / 2), width, height }
}

function luminance({ data, width, height }: Frame): Uint8Array {
  const grey = new Uint8Array(width * height)
  for (let at = 0, from = 0; at < grey.length; at += 1, from += 4) {
    grey[at] = (data[from]! * 77 + data[from + 1]! * 150 + data[from + 2]! * 29) >> 8
  }
  return grey
}

function fromGrey(grey: Uint8Array | Uint8ClampedArray, width: number, height: number): Frame {
  const data = new Uint8ClampedArray(width * height * 4)
  const pixels = new Uint32Array(data.buffer)
  for (let at = 0; at < grey.length; at += 1) pixels[at] = 0xff000000 | (grey[at]! * 0x010101)
  return { data, width, height }
}

/** Side of the fields that are looked at, the least range of brightness that ink gives one, and room around them. */
const FIELD = 16
const LEAST_RANGE = 24
const ROOM = 48

/** The part of a picture in which anything is printed: what is left out need not be looked at again. */
export function printedPart(frame: Frame): Frame {
  const { data, width, height } = frame
  let [left, top, right, bottom] = [width, height, 0, 0]
  for (let fieldY = 0; fieldY < height; fieldY += FIELD) {
    for (let fieldX = 0; fieldX < width; fieldX += FIELD) {
      let darkest = 255
      let lightest = 0
      const endY = Math.min(height, fieldY + FIELD)
      const endX = Math.min(width, fieldX + FIELD)
      // Every other line and the green alone are enough to see ink.
      for (let y = fieldY; y < endY; y += 2) {
        for (let at = (y * width + fieldX) * 4 + 1; at < (y * width + endX) * 4; at += 4) {
          const value = data[at]!
          if (value < darkest) darkest = value
          if (value > lightest) lightest = value
        }
      }
      if (lightest - darkest < LEAST_RANGE) continue
      left = Math.min(left, fieldX)
      top = Math.min(top, fieldY)
      right = Math.max(right, endX)
      bottom = Math.max(bottom, endY)
    }
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

/** The mean brightness of the square around each pixel, `reach` pixels to every side. */
function surroundings(grey: Uint8Array, width: number, height: number, reach: number): Float32Array {
  // sums[y][x]: everything above and to the left of it. In a very large picture they run over; differences stay right.
  const stride = width + 1
  const sums = new Uint32Array(stride * (height + 1))
  for (let y = 0; y < height; y += 1) {
    let row = 0
    for (let x = 0; x < width; x += 1) {
      row += grey[y * width + x]!
      sums[(y + 1) * stride + x + 1] = sums[y * stride + x + 1]! + row
    }
  }
  const means = new Float32Array(width * height)
  for (let y = 0; y < height; y += 1) {
    const top = Math.max(0, y - reach)
    const bottom = Math.min(height, y + reach + 1)
    const above = top * stride
    const below = bottom * stride
    const share = 1 / ((bottom - top) * (2 * reach + 1))
    const line = y * width
    for (let x = 0; x < width; x += 1) {
      const left = x < reach ? 0 : x - reach
      const right = x + reach + 1 > width ? width : x + reach + 1
      const sum = (sums[below + right]! - sums[above + right]! - sums[below + left]! + sums[above + left]!) >>> 0
      // At the edges the square is smaller.
      means[line + x] = right - left === 2 * reach + 1 ? sum * share : sum / ((bottom - top) * (right - left))
    }
  }
  return means
}

/** Each pixel as a share of its surroundings' brightness: shadows and glare go, bars stay. */
export function evenedOut(frame: Frame): Frame {
  const { width, height } = frame
  const grey = luminance(frame)
  const means = surroundings(grey, width, height, 16)
  const even = new Uint8ClampedArray(grey.length)
  for (let at = 0; at < grey.length; at += 1) even[at] = 128 + (grey[at]! / (means[at]! + 1) - 1) * 200
  return fromGrey(even, width, height)
}

/** Sharper and twice as large: what is out of focus or far away gets edges again. */
export function enlarged(frame: Frame): Frame {
  const { width, height } = frame
  const grey = luminance(frame)
  const sharp = surroundings(grey, width, height, 2)
  for (let at = 0; at < grey.length; at += 1) sharp[at] = grey[at]! + 2 * (grey[at]! - sharp[at]!)
  const out = new Uint8ClampedArray(width * height * 4)
  const line = new Float32Array(width)
  for (let row = 0; row < height * 2; row += 1) {
    // Pixels of the result lie a quarter of a pixel off those of the frame, to either side.
    const y = Math.min(height - 1, row >> 1)
    const nextY = Math.min(height - 1, Math.max(0, y + (row & 1 ? 1 : -1)))
    for (let x = 0; x < width; x += 1) line[x] = sharp[y * width + x]! * 0.75 + sharp[nextY * width + x]! * 0.25
    const from = row * width * 2
    for (let x = 0; x < width; x += 1) {
      const here = line[x]! * 0.75
      out[from + 2 * x] = here + line[x === 0 ? 0 : x - 1]! * 0.25
      out[from + 2 * x + 1] = here + line[x === width - 1 ? x : x + 1]! * 0.25
    }
  }
  return fromGrey(out, width * 2, height * 2)
}

/** The frame turned around its middle, corners cut off: bars at an angle come to lie across the decoder's lines. */
export function turned(frame: Frame, degrees: number): Frame {
  const { width, height } = frame
  const grey = luminance(frame)
  const out = new Uint8ClampedArray(width * height)
  const angle = (degrees * Math.PI) / 180
  const cos = Math.cos(angle)
  const sin = Math.sin(angle)
  const middleX = (width - 1) / 2
  const middleY = (height - 1) / 2
  for (let y = 0; y < height; y += 1) {
    let fromX = middleX - middleX * cos + (y - middleY) * sin
    let fromY = middleY + middleX * sin + (y - middleY) * cos
    for (let x = 0; x < width; x += 1, fromX += cos, fromY -= sin) {
      if (fromX < 0 || fromY < 0 || fromX >= width - 1 || fromY >= height - 1) {
        out[y * width + x] = 255
        continue
      }
      const left = fromX | 0
      const top = fromY | 0
      const at = top * width + left
      const alongX = fromX - left
      const above = grey[at]! + (grey[at + 1]! - grey[at]!) * alongX
      const below = grey[at + width]! + (grey[at + width + 1]! - grey[at + width]!) * alongX
      out[y * width + x] = above + (below - above) * (fromY - top)
    }
  }
  return fromGrey(out, width, height)
}
