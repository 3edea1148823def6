import { describe, expect, it } from 'vitest'
import {
  boxFor,
  sharpenAndUpscale,
  normalizeLocalContrast,
  cropToPrint,
  regionUnder,
  rotate,
  type Frame,
} from './frames'

describe('R-SCAN-1, R-SCAN-6: the scan box', () => {
  it.each([
    [600, 400, 250],
    [266, 400, 250],
    [200, 400, 184],
    [66, 66, 50],
    [65, 66, null],
    [0, 0, null],
  ])('in %i by %i it is %s', (width, height, box) => {
    expect(boxFor(width, height)).toBe(box)
  })
})

describe('pixels under the box', () => {
  const wide = { videoWidth: 1280, videoHeight: 720, clientWidth: 640, clientHeight: 360 }

  it("are the camera's own", () => {
    expect(regionUnder(250, wide)).toEqual({ x: 390, y: 110, width: 500, height: 500 })
  })

  it('are fewer the closer it is zoomed', () => {
    expect(regionUnder(250, wide, 2)).toEqual({ x: 515, y: 235, width: 250, height: 250 })
  })

  it('follow a picture that is cut off at the sides, and end at its edge', () => {
    const upright = { ...wide, clientWidth: 360, clientHeight: 360 }
    expect(regionUnder(250, upright)).toEqual({ x: 390, y: 110, width: 500, height: 500 })
    const low = { ...wide, clientWidth: 384, clientHeight: 216 }
    expect(regionUnder(250, low)).toEqual({ x: 224, y: 0, width: 833, height: 720 })
  })
})

const frame = (width: number, height: number, at: (x: number, y: number) => number): Frame => {
  const data = new Uint8ClampedArray(width * height * 4)
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) data.set([at(x, y), at(x, y), at(x, y), 255], (y * width + x) * 4)
  }
  return { data, width, height }
}

describe('preprocessings of a frame', () => {
  it('evening out makes bars in a shadow as dark as those in the light', () => {
    // The light fades from left to right; every fourth column is a bar of half the brightness.
    const { data } = normalizeLocalContrast(frame(200, 60, (x) => Math.round((250 - x) * (x % 4 < 2 ? 0.5 : 1))))
    const at = (x: number) => data[(30 * 200 + x) * 4]!
    expect(Math.abs(at(40) - at(160))).toBeLessThan(12)
    expect(Math.abs(at(42) - at(162))).toBeLessThan(12)
    expect(at(42) - at(40)).toBeGreaterThan(80)
  })

  it('enlarging doubles the size and sharpens edges', () => {
    const { data, width, height } = sharpenAndUpscale(frame(40, 30, (x) => (x < 20 ? 100 : 140)))
    expect([width, height]).toEqual([80, 60])
    const at = (x: number) => data[(30 * 80 + x) * 4]!
    expect([at(4), at(75)]).toEqual([100, 140])
    expect(at(38)).toBeLessThan(100)
    expect(at(41)).toBeGreaterThan(140)
  })

  it('the printed part is what has ink in it, with room around', () => {
    const { width, height, data } = cropToPrint(
      frame(320, 240, (x, y) => (x >= 160 && x < 192 && y >= 96 && y < 112 && x % 4 < 2 ? 60 : 90)),
    )
    expect([width, height]).toEqual([32 + 96, 16 + 96])
    expect(data[(48 * width + 48) * 4]).toBe(60)
    const empty = frame(64, 64, () => 90)
    expect(cropToPrint(empty)).toBe(empty)
  })

  it('turning by a quarter lays columns on their side', () => {
    const { data } = rotate(
      frame(61, 61, (x) => (x < 30 ? 0 : 200)),
      90,
    )
    const at = (x: number, y: number) => data[(y * 61 + x) * 4]!
    expect(new Set([at(10, 10), at(50, 10), at(10, 50), at(50, 50)])).toEqual(new Set([0, 200]))
    expect(at(10, 10)).toBe(at(50, 10))
    expect(at(10, 50)).toBe(at(50, 50))
  })
})
