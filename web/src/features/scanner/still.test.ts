import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { beforeAll, describe, expect, it } from 'vitest'
import { bare, blurred, drawn, toRgba } from '../../../bench/scanner/cards'
import { PHOTO_SYMBOLOGIES, photo } from '../../../bench/scanner/photos'
import { aligned, findBars, straightened } from './bars'
import { prepareDecoder, readFrame } from './decode'
import { luminance } from './frames'
import { bands, deblurred } from './profile'
import { readStill } from './still'

beforeAll(async () => {
  const wasm = await readFile(createRequire(import.meta.url).resolve('zxing-wasm/reader/zxing_reader.wasm'))
  await prepareDecoder({ wasmBinary: Uint8Array.from(wasm).buffer })
})

describe('R-SCAN-4 R-SCAN-9: photographs of whole cards, of medium difficulty', () => {
  it.each(PHOTO_SYMBOLOGIES)('%s', { timeout: 60_000 }, async (symbology) => {
    const { picture, text } = photo('medium', symbology, 11)
    const read = await readStill(picture)
    expect(bare(read?.text ?? '')).toBe(bare(text))
  })
})

it('a picture that nobody waits for any more is not looked at again', async () => {
  const empty = toRgba({ data: new Float32Array(640 * 480).fill(120), width: 640, height: 480 })
  const asked: number[] = []
  const goOn = (looks: number) => Promise.resolve(asked.push(looks) < 2)
  expect(await readStill(empty, goOn)).toBeNull()
  expect(asked).toEqual([1, 2])
})

describe('bars at an angle', () => {
  const card = { symbology: 'Code128', text: 'CS26-001' } as const
  const frame = toRgba(drawn(card, { width: 640, height: 480, module: 2, angle: 33, dx: 40, dy: -30 }))

  it('are found where they are', () => {
    const [region] = findBars(luminance(frame), 1)
    expect(region?.x).toBeCloseTo(360, -1)
    expect(region?.y).toBeCloseTo(210, -1)
    expect(((region?.angle ?? 0) * 180) / Math.PI).toBeCloseTo(33, 0)
  })

  it('stand upright once they are straightened: every row shows the same', () => {
    const grey = luminance(frame)
    const [region] = findBars(grey, 1)
    if (!region) throw new Error('No region')
    const { data, width, height } = straightened(grey, aligned(grey, region), 1, 0)
    const [upper, lower] = [Math.round(height * 0.3), Math.round(height * 0.7)]
    let difference = 0
    for (let x = 0; x < width; x += 1) difference += Math.abs(data[upper * width + x]! - data[lower * width + x]!)
    expect(difference / width).toBeLessThan(10)
  })

  it('are read, though no line of the frame crosses all of them', async () => {
    expect(await readFrame(frame, 'plain')).toBeNull()
    expect((await readStill(frame))?.text).toBe(card.text)
  })
})

it('deblurring tells bars apart that have run together', () => {
  const bars = {
    data: Float32Array.from({ length: 120 }, (_, x) => (x > 40 && x < 80 && x % 6 < 3 ? 40 : 200)),
    width: 120,
    height: 1,
  }
  const contrast = ({ data }: { data: Float32Array | Uint8Array }) => data[58]! - data[55]!
  const smeared = blurred(bars, 2.2)
  expect(contrast(deblurred(smeared, 2.2, 20))).toBeGreaterThan(2.5 * contrast(smeared))
  expect(contrast(smeared)).toBeGreaterThan(0)
})

it('a band is the mean of its rows', () => {
  const picture = { data: Float32Array.from([0, 10, 20, 30, 40, 50]), width: 1, height: 6 }
  expect(Array.from(bands(picture, 0.5, 2).data)).toEqual([10, 40].map((value) => expect.closeTo(value, 3)))
})
