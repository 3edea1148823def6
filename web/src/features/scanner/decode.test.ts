import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { beforeAll, describe, expect, it } from 'vitest'
import { bare, cards, CONDITIONS, drawn, randomFrom, SYMBOLOGIES, toRgba } from '../../../bench/scanner/cards'
import { prepareDecoder, readFrame } from './decode'
import { readStill } from './still'

beforeAll(async () => {
  const wasm = await readFile(createRequire(import.meta.url).resolve('zxing-wasm/reader/zxing_reader.wasm'))
  await prepareDecoder({ wasmBinary: Uint8Array.from(wasm).buffer })
})

/**
 * Minimum number of the twelve cards below that must be read, by kind of picture; detects an upgrade that reads fewer.
 */
const LEAST: Readonly<Record<string, number>> = {
  clean: 12,
  'small (1.25 px per module)': 7,
  'rotated 7°': 12,
  'rotated 20°': 11,
  'rotated 45°': 9,
  'rotated 90°': 12,
  'rotated 180°': 12,
  'blur σ 1.0': 12,
  'blur σ 1.5': 7,
  'low contrast (125 on 150)': 12,
  'noise σ 25': 12,
  'shadow across the frame': 10,
  'photo (8°, blur, grey, JPEG 50)': 7,
  'hard photo (14°, blur, shadow, JPEG 30)': 0,
}

describe('R-SCAN-9: pictures of cards', () => {
  it.each(Object.entries(CONDITIONS))('%s', { timeout: 60_000 }, async (condition, look) => {
    let right = 0
    for (const symbology of SYMBOLOGIES) {
      for (const [at, card] of cards(symbology, 2, 31).entries()) {
        const read = await readStill(look(card, randomFrom(at + 1)))
        if (read) expect(bare(read.text)).toBe(bare(card.text))
        if (read) right += 1
      }
    }
    expect(right).toBeGreaterThanOrEqual(LEAST[condition] ?? Infinity)
  })
})

describe('single frames of the camera', () => {
  const look = { width: 600, height: 600, module: 2 }

  it.each(SYMBOLOGIES)('R-SCAN-9: %s', async (symbology) => {
    const [card] = cards(symbology, 1)
    if (!card) throw new Error('No card')
    const frame = toRgba(drawn(card, look))
    for (const preprocessing of ['plain', 'localContrast'] as const) {
      expect(bare((await readFrame(frame, preprocessing))?.text ?? '')).toBe(bare(card.text))
    }
  })

  it('turning reads what lies at an angle', async () => {
    const card = { symbology: 'Code128', text: 'CS26-001' } as const
    const frame = toRgba(drawn(card, { ...look, angle: 24 }))
    expect(await readFrame(frame, 'plain')).toBeNull()
    const reads = [await readFrame(frame, 'rotatedLeft'), await readFrame(frame, 'rotatedRight')]
    expect(reads.filter((read) => read?.text === card.text)).toHaveLength(1)
  })

  it('R-SCAN-9: EAN-8 and UPC-A', async () => {
    for (const [symbology, text] of [
      ['EAN8', '96385074'],
      ['UPCA', '012345678905'],
    ] as const) {
      expect((await readFrame(toRgba(drawn({ symbology, text }, look)), 'plain'))?.text).toBe(text)
    }
  })

  it('R-SCAN-9: six signs of a Code 39 are no Code 32, though their sum would allow it', async () => {
    const frame = toRgba(drawn({ symbology: 'Code39', text: 'PG8836' }, look))
    expect((await readFrame(frame, 'plain'))?.text).toBe('PG8836')
  })

  it('a short ITF is taken for a part of one, and an empty table for nothing', async () => {
    expect(await readFrame(toRgba(drawn({ symbology: 'ITF', text: '1234' }, look)), 'plain')).toBeNull()
    const empty = { data: new Float32Array(600 * 600).fill(90), width: 600, height: 600 }
    expect(await readFrame(toRgba(empty), 'plain')).toBeNull()
  })
})
