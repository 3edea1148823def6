import type { Grey } from './frames'

/**
 * Filters for rectified bars. All rows show the same bars, so their mean has little noise, which makes deblurring
 * possible.
 */

/** Averages `count` bands of rows, each `share` of the height, overlapping if needed to cover it. */
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

/** Half of a Gaussian from its centre; the whole sums to 1. */
function gaussian(sigma: number): Float32Array {
  const half = Float32Array.from({ length: Math.ceil(sigma * 2.5) + 1 }, (_, at) =>
    Math.exp(-(at ** 2) / (2 * sigma ** 2)),
  )
  const total = half.reduce((sum, weight) => sum + 2 * weight, -half[0]!)
  return half.map((weight) => weight / total)
}

/** Smooths a row, repeating its ends. `padded` has room for the row and the kernel on both sides. */
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
 * Deblurs each row by Richardson–Lucy with a blur of this standard deviation. The correction, the ratio of the observed
 * to the blurred estimate, is raised to the power of 1.5, which needs fewer rounds.
 */
export function deblurred({ data, width, height }: Grey, sigma: number, rounds: number): Grey {
  // No rounds: the picture is sharp.
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

/** Computes the minimum (or, with a sign of -1, the maximum) within `reach` of each value. */
function extremes(row: Float32Array, reach: number, sign: 1 | -1, out: Float32Array): void {
  // Candidates in order of position with rising values: the first is the minimum.
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

/** Averages each value with those within `reach`; fewer at the ends. */
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

/** Contrast below this share of a row's maximum counts as paper. */
const PAPER_SHARE = 0.12

/** Stretches each row so that the darkest and lightest values within `reach` become black and white. */
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
