import type { Grey } from './frames'

/**
 * A region of parallel bars at any angle: the brightness changes strongly, always in the same direction. Lengths are in
 * pixels of the picture, angles in radians.
 */
export type BarRegion = {
  /** Centre of the region. */
  x: number
  y: number
  /** Direction across the bars, in which a scanner's line runs. */
  angle: number
  /** Skew of the code relative to that direction, as in a tilted card. */
  skew: number
  /** Change of the direction per pixel along that line: bars converge in a tilted card. */
  bend: number
  /** Half the extent across the bars, and along them. */
  reach: number
  height: number
}

/** Side of the cells whose directions are measured. */
const CELL = 8
/** Minimum agreement of directions in a cell: 1 for exactly parallel bars, 0 for anything. */
const MIN_COHERENCE = 0.55
/** Maximum difference of direction between neighbours of one region. */
const MAX_STEP = 0.22
/** Minimum number of cells of a region; fewer are letters or an edge. */
const MIN_CELLS = 12
/** Maximum skew; a card tilted by 35 degrees has a skew of 6 degrees. */
const MAX_SKEW = 0.2
/** Minimum strength of a cell of bars, as a share of the strongest cells. */
const MIN_STRENGTH = 0.06

type Cells = { across: number; down: number; xx: Float32Array; yy: Float32Array; xy: Float32Array }

/**
 * Brightness below which changes are noise. Above it, changes are measured relative to the brightness; otherwise a
 * shadow would hide bars.
 */
const DARK = 12
const LOGARITHMS = Float32Array.from({ length: 256 }, (_, value) => 100 * Math.log(value + DARK))

/** Scharr's weights, 3 : 10 : 3: they find the direction even of bars two pixels wide. */
const EDGE = 0.3

/** Sums the structure tensor in each cell. */
function gradients({ data: values, width, height }: Grey<Uint8Array>): Cells {
  const data = new Float32Array(values.length)
  for (let at = 0; at < values.length; at += 1) data[at] = LOGARITHMS[values[at]!]!
  const across = Math.floor(width / CELL)
  const down = Math.floor(height / CELL)
  const [xx, yy, xy] = [0, 1, 2].map(() => new Float32Array(across * down)) as [
    Float32Array,
    Float32Array,
    Float32Array,
  ]
  // Every other row is enough to find bars.
  for (let y = 1; y < Math.min(height - 1, down * CELL); y += 2) {
    const row = Math.floor(y / CELL) * across
    for (let column = 0; column < across; column += 1) {
      let [sumXX, sumYY, sumXY] = [0, 0, 0]
      const end = Math.min(width - 1, (column + 1) * CELL)
      for (let x = Math.max(1, column * CELL); x < end; x += 1) {
        const at = y * width + x
        const rising = data[at + width + 1]! - data[at - width - 1]!
        const falling = data[at - width + 1]! - data[at + width - 1]!
        const right = EDGE * (rising + falling) + data[at + 1]! - data[at - 1]!
        const low = EDGE * (rising - falling) + data[at + width]! - data[at - width]!
        sumXX += right * right
        sumYY += low * low
        sumXY += right * low
      }
      xx[row + column]! += sumXX
      yy[row + column]! += sumYY
      xy[row + column]! += sumXY
    }
  }
  return { across, down, xx, yy, xy }
}

/** Sums each cell with its eight neighbours, so that single edges lose weight. */
function pooled(values: Float32Array, across: number, down: number): Float32Array {
  const result = new Float32Array(values.length)
  for (let y = 0; y < down; y += 1) {
    for (let x = 0; x < across; x += 1) {
      let sum = 0
      for (let dy = y > 0 ? -1 : 0; dy <= (y < down - 1 ? 1 : 0); dy += 1) {
        for (let dx = x > 0 ? -1 : 0; dx <= (x < across - 1 ? 1 : 0); dx += 1)
          sum += values[(y + dy) * across + x + dx]!
      }
      result[y * across + x] = sum
    }
  }
  return result
}

/** Returns the angle between two undirected directions. */
function turnBetween(one: number, other: number): number {
  const difference = (one - other) % Math.PI
  return difference > Math.PI / 2 ? difference - Math.PI : difference < -Math.PI / 2 ? difference + Math.PI : difference
}

/** Returns the regions that look most like bars, best first. */
export function findBars(grey: Grey<Uint8Array>, most: number): BarRegion[] {
  const { across, down, ...tensor } = gradients(grey)
  const [xx, yy, xy] = [tensor.xx, tensor.yy, tensor.xy].map((values) => pooled(values, across, down)) as [
    Float32Array,
    Float32Array,
    Float32Array,
  ]
  const count = across * down
  const strength = new Float32Array(count)
  const angle = new Float32Array(count)
  const isBar = new Uint8Array(count)
  for (let at = 0; at < count; at += 1) {
    const [difference, mixed] = [xx[at]! - yy[at]!, 2 * xy[at]!]
    strength[at] = Math.sqrt(difference * difference + mixed * mixed)
  }
  const least = MIN_STRENGTH * strength.toSorted()[Math.floor(count * 0.985)]!
  for (let at = 0; at < count; at += 1) {
    if (strength[at]! <= least || strength[at]! <= MIN_COHERENCE * (xx[at]! + yy[at]!)) continue
    isBar[at] = 1
    angle[at] = Math.atan2(2 * xy[at]!, xx[at]! - yy[at]!) / 2
  }
  const regions: { region: BarRegion; score: number }[] = []
  const queue = new Int32Array(count)
  for (let start = 0; start < count; start += 1) {
    if (isBar[start] !== 1) continue
    let end = 0
    queue[end++] = start
    isBar[start] = 2
    for (let next = 0; next < end; next += 1) {
      const at = queue[next]!
      const x = at % across
      for (const [neighbour, there] of [
        [at - 1, x > 0],
        [at + 1, x < across - 1],
        [at - across, at >= across],
        [at + across, at < count - across],
      ] as const) {
        if (!there || isBar[neighbour] !== 1 || Math.abs(turnBetween(angle[neighbour]!, angle[at]!)) > MAX_STEP)
          continue
        isBar[neighbour] = 2
        queue[end++] = neighbour
      }
    }
    if (end >= MIN_CELLS) regions.push(described(queue.subarray(0, end), across, strength, angle))
  }
  return regions
    .toSorted((one, other) => other.score - one.score)
    .slice(0, most)
    .map(({ region }) => region)
}

function described(cells: Int32Array, across: number, strength: Float32Array, angles: Float32Array) {
  let [sum, cos, sin, x, y] = [0, 0, 0, 0, 0]
  for (const at of cells) {
    const weight = Math.sqrt(strength[at]!)
    sum += weight
    cos += weight * Math.cos(2 * angles[at]!)
    sin += weight * Math.sin(2 * angles[at]!)
    x += weight * (at % across)
    y += weight * Math.floor(at / across)
  }
  const angle = Math.atan2(sin, cos) / 2
  ;[x, y] = [x / sum, y / sum]
  const [dx, dy] = [Math.cos(angle), Math.sin(angle)]
  const us: number[] = []
  const vs: number[] = []
  let [uu, ut, uv, u1, t1] = [0, 0, 0, 0, 0]
  for (const at of cells) {
    const [offX, offY] = [(at % across) - x, Math.floor(at / across) - y]
    const u = offX * dx + offY * dy
    us.push(u)
    const v = offY * dx - offX * dy
    vs.push(v)
    const weight = Math.sqrt(strength[at]!) / sum
    const turn = turnBetween(angles[at]!, angle)
    uu += weight * u * u
    ut += weight * u * turn
    uv += weight * u * v
    u1 += weight * u
    t1 += weight * turn
  }
  us.sort((one, other) => one - other)
  vs.sort((one, other) => one - other)
  const at = (sorted: number[], share: number) => sorted[Math.round((sorted.length - 1) * share)]!
  const [left, right, top, bottom] = [at(us, 0.01), at(us, 0.99), at(vs, 0.05), at(vs, 0.95)]
  const variance = uu - u1 * u1
  const middleU = (left + right) / 2
  const middleV = (top + bottom) / 2
  const slope = variance > 4 ? (ut - u1 * t1) / variance : 0
  // In a tilted card the code is skewed relative to its bars; in a short code the skew cannot be measured.
  const skew = variance > 16 ? Math.atan(uv / variance) : 0
  const region: BarRegion = {
    x: (x + middleU * dx - middleV * dy + 0.5) * CELL,
    y: (y + middleU * dy + middleV * dx + 0.5) * CELL,
    angle: angle + t1 + slope * (middleU - u1),
    skew: Math.max(-MAX_SKEW, Math.min(MAX_SKEW, skew)),
    bend: slope / CELL,
    reach: ((right - left) / 2 + 0.5) * CELL,
    height: ((bottom - top) / 2 + 0.5) * CELL,
  }
  return { region, score: sum * Math.sqrt(region.reach) }
}

type Point = { x: number; y: number }
type Corners = { topLeft: Point; topRight: Point; bottomLeft: Point; bottomRight: Point }

/** Minimum half height of a region: a code may have been read in only a few pixels of the bars' height. */
const MIN_HALF_HEIGHT = 8

/** Returns the region of a code that was read already. */
export function regionOf({ topLeft, topRight, bottomLeft, bottomRight }: Corners): BarRegion {
  const left = { x: (topLeft.x + bottomLeft.x) / 2, y: (topLeft.y + bottomLeft.y) / 2 }
  const right = { x: (topRight.x + bottomRight.x) / 2, y: (topRight.y + bottomRight.y) / 2 }
  return {
    x: (left.x + right.x) / 2,
    y: (left.y + right.y) / 2,
    angle: Math.atan2(right.y - left.y, right.x - left.x),
    skew: 0,
    bend: 0,
    reach: Math.hypot(right.x - left.x, right.y - left.y) / 2,
    height: Math.max(MIN_HALF_HEIGHT, Math.hypot(bottomLeft.x - topLeft.x, bottomLeft.y - topLeft.y) / 2),
  }
}

/**
 * Rectifies a region, enlarged by `scale`: bars upright, one row per pixel of their height, with a margin on both
 * sides.
 */
export function straightened(grey: Grey, region: BarRegion, scale: number, margin: number): Grey {
  const { data, width, height } = grey
  const { x, y, angle, skew, bend, reach } = region
  const half = reach + margin
  const across = Math.round(2 * half * scale)
  const down = Math.max(3, Math.round(2 * region.height))
  const out = new Float32Array(across * down)
  const [dx, dy] = [Math.cos(angle + skew), Math.sin(angle + skew)]
  for (let column = 0; column < across; column += 1) {
    const u = (column + 0.5) / scale - half
    const turn = Math.max(-reach, Math.min(reach, u)) * bend
    // Direction along the bars at this place.
    const [bx, by] = [-Math.sin(angle + turn), Math.cos(angle + turn)]
    for (let row = 0; row < down; row += 1) {
      const v = row + 0.5 - down / 2
      const fromX = Math.min(width - 1.001, Math.max(0, x + u * dx + v * bx - 0.5))
      const fromY = Math.min(height - 1.001, Math.max(0, y + u * dy + v * by - 0.5))
      const [left, top] = [Math.floor(fromX), Math.floor(fromY)]
      const at = top * width + left
      const [partX, partY] = [fromX - left, fromY - top]
      const above = data[at]! + (data[at + 1]! - data[at]!) * partX
      const below = data[at + width]! + (data[at + width + 1]! - data[at + width]!) * partX
      out[row * across + column] = above + (below - above) * partY
    }
  }
  return { data: out, width: across, height: down }
}

/** Refines the direction of a region's bars, by pixels instead of cells. */
export function aligned(grey: Grey, region: BarRegion): BarRegion {
  const { data, width, height } = straightened(grey, region, 1, 0)
  // Where bars lean by s pixels per row, brightness satisfies low + s·right = 0; s = lean + bend·u by least squares.
  let [rr, rru, rruu, rl, rlu] = [0, 0, 0, 0, 0]
  for (let y = 1; y < height - 1; y += 1) {
    for (let x = 1; x < width - 1; x += 1) {
      const at = y * width + x
      const rising = data[at + width + 1]! - data[at - width - 1]!
      const falling = data[at - width + 1]! - data[at + width - 1]!
      const right = EDGE * (rising + falling) + data[at + 1]! - data[at - 1]!
      const low = EDGE * (rising - falling) + data[at + width]! - data[at - width]!
      const u = x + 0.5 - width / 2
      rr += right * right
      rru += right * right * u
      rruu += right * right * u * u
      rl += right * low
      rlu += right * low * u
    }
  }
  const determinant = rr * rruu - rru * rru
  if (determinant <= 0) return region
  const lean = -(rl * rruu - rlu * rru) / determinant
  const bend = -(rr * rlu - rru * rl) / determinant
  if (Math.abs(lean) > 0.5 || Math.abs(bend) * region.reach > 0.5) return region
  // Bars that lean right are turned counter-clockwise: the angle shrinks, and the skew grows by as much, so that their
  // sum, the direction of the scanner's line, stays the same.
  return { ...region, angle: region.angle - lean, skew: region.skew + lean, bend: region.bend - bend }
}
