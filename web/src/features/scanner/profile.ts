import type { Grey } from './frames'

/**
 * What is done to bars that were straightened, before they are read: all rows show the same bars, so that their mean has
 * little noise, and what has little noise can be deblurred.
 */

/** Means over `count` bands of rows, each `share` of the height; neighbours overlap where that is needed to cover it. */
export function bands({ data, width, height }: Grey, share: number, count: number): Grey {
  const rows = Math.min(height, Math.max(3, Math.round(height * share)))
  const out = new Float32Array(width * count)
  for (let band = 0; band < count; band += 1) {
    const from = Math.round(((height - rows) * band) / Math.max(1, count - 1))
    for (let y = from; y < from + rows; y += 1) {
      for (let x = 0; x < width; x += 1) out[band * width + x]! += data[y * width + x]! / rows
    }
  }
  return { data: out, width, height: count }
}

/** One half of a Gaussian, from its middle on; all of it sums up to 1. */
function gaussian(sigma: number): Float32Array {
  const half = Float32Array.from({ length: Math.ceil(sigma * 2.5) + 1 }, (_, at) =>
    Math.exp(-(at ** 2) / (2 * sigma ** 2)),
  )
  const total = half.reduce((sum, weight) => sum + 2 * weight, -half[0]!)
  return half.map((weight) => weight / total)
}

/** Smooths a row; its ends are repeated. `padded` has room for the row and the kernel's reach on both sides. */
function smooth(row: Float32Array, kernel: Float32Array, padded: Float32Array, out: Float32Array): void {
  const reach = kernel.length - 1
  const length = row.length
  padded.fill(row[0]!, 0, reach)
  padded.set(row, reach)
  padded.fill(row[length - 1]!, reach + length)
  const middle = kernel[0]!
  for (let x = 0, at = reach; x < length; x += 1, at += 1) {
    let sum = middle * padded[at]!
    for (let off = 1; off <= reach; off += 1) sum += kernel[off]! * (padded[at - off]! + padded[at + off]!)
    out[x] = sum
  }
}

/**
 * Each row as it would be without a blur of this standard deviation, after so many rounds of Richardson and Lucy's method:
 * the estimate is corrected by the ratio of what was seen to what it would have looked like, to the power of 1.5, which
 * takes fewer rounds.
 */
export function deblurred({ data, width, height }: Grey, sigma: number, rounds: number): Grey {
  // A picture that is sharp.
  if (rounds === 0) return { data, width, height }
  const kernel = gaussian(sigma)
  const padded = new Float32Array(width + 2 * kernel.length - 2)
  const [ratio, correction] = [new Float32Array(width), new Float32Array(width)]
  const out = new Float32Array(data.length)
  for (let y = 0; y < height; y += 1) {
    const seen = new Float32Array(data.subarray(y * width, (y + 1) * width))
    const estimate = out.subarray(y * width, (y + 1) * width)
    for (let x = 0; x < width; x += 1) estimate[x] = seen[x] = Math.max(1, seen[x]!)
    for (let round = 0; round < rounds; round += 1) {
      smooth(estimate, kernel, padded, ratio)
      for (let x = 0; x < width; x += 1) ratio[x] = seen[x]! / ratio[x]!
      smooth(ratio, kernel, padded, correction)
      for (let x = 0; x < width; x += 1) estimate[x]! *= correction[x]! * Math.sqrt(correction[x]!)
    }
  }
  return { data: out, width, height }
}

/** The least (or, with a sign of -1, the greatest) value within `reach` of each. */
function extremes(row: Float32Array, reach: number, sign: 1 | -1, out: Float32Array): void {
  // Candidates in the order of their places, their values rising: the first is the least.
  const places = new Int32Array(row.length)
  let [first, end] = [0, 0]
  for (let x = 0; x < row.length + reach; x += 1) {
    if (x < row.length) {
      while (end > first && sign * row[places[end - 1]!]! >= sign * row[x]!) end -= 1
      places[end++] = x
    }
    const middle = x - reach
    if (middle < 0) continue
    while (places[first]! < middle - reach) first += 1
    out[middle] = row[places[first]!]!
  }
}

/** The mean of each value and those within `reach` of it; fewer at the ends. */
function average(row: Float32Array, reach: number, out: Float32Array): void {
  let [sum, count] = [0, 0]
  for (let x = -reach; x < row.length; x += 1) {
    if (x + reach < row.length) {
      sum += row[x + reach]!
      count += 1
    }
    if (x > reach) {
      sum -= row[x - reach - 1]!
      count -= 1
    }
    if (x >= 0) out[x] = sum / count
  }
}

/** What varies less than this share of a row's strongest contrast is paper. */
const PAPER_SHARE = 0.12

/** Each row stretched so that the darkest and the lightest within `reach` pixels are black and white. */
export function stretched({ data, width, height }: Grey, reach: number): Grey {
  const [edge, low, high] = [new Float32Array(width), new Float32Array(width), new Float32Array(width)]
  const out = new Float32Array(data.length)
  for (let y = 0; y < height; y += 1) {
    const row = new Float32Array(data.subarray(y * width, (y + 1) * width))
    extremes(row, reach, 1, edge)
    average(edge, reach, low)
    extremes(row, reach, -1, edge)
    average(edge, reach, high)
    let most = 0
    for (let x = 0; x < width; x += 1) most = Math.max(most, high[x]! - low[x]!)
    for (let x = 0; x < width; x += 1) {
      const range = high[x]! - low[x]!
      out[y * width + x] = range < PAPER_SHARE * most ? 255 : ((row[x]! - low[x]!) / range) * 255
    }
  }
  return { data: out, width, height }
}
