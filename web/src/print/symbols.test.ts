import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { readBarcodes, prepareZXingModule } from 'zxing-wasm/reader'
import { beforeAll, describe, expect, it } from 'vitest'
import { qrCode, type Symbol } from './symbol'
import { code128 } from './code128'

beforeAll(async () => {
  const wasm = await readFile(createRequire(import.meta.url).resolve('zxing-wasm/reader/zxing_reader.wasm'))
  await prepareZXingModule({ overrides: { wasmBinary: Uint8Array.from(wasm).buffer }, fireImmediately: true })
})

/** Paints the path, which consists of rectangles, and reads it like a scanner. */
async function read({ path, width, height }: Symbol, scale = 3) {
  const data = new Uint8ClampedArray(width * height * scale * scale * 4).fill(255)
  for (const [, left, top, across, down] of path.matchAll(/M(\d+) (\d+)h(\d+)v(\d+)/g)) {
    for (let y = Number(top) * scale; y < (Number(top) + Number(down)) * scale; y += 1) {
      for (let x = Number(left) * scale; x < (Number(left) + Number(across)) * scale; x += 1) {
        data.fill(0, (y * width * scale + x) * 4, (y * width * scale + x) * 4 + 3)
      }
    }
  }
  const frame = { data, width: width * scale, height: height * scale, colorSpace: 'srgb' as const }
  return (await readBarcodes(frame)).map(({ text, format }) => `${format} ${text}`)
}

describe('the symbols of the ID card carry the roll number', () => {
  it.each(['cs26-001', 'b1', '12345678', 'ee/27.0815_x', 'a'.repeat(32)])('%s', async (rollNumber) => {
    const bars = code128(rollNumber)
    expect(bars).not.toBeNull()
    if (bars) await expect(read(bars)).resolves.toEqual([`Code128 ${rollNumber}`])
    await expect(read(qrCode(rollNumber))).resolves.toEqual([
      expect.stringMatching(new RegExp(`^QRCode.* ${rollNumber}$`)),
    ])
  })

  it('a number that bars cannot carry is still there as dots', async () => {
    expect(code128('सीएस-२६')).toBeNull()
    await expect(read(qrCode('सीएस-२६'))).resolves.toEqual([expect.stringContaining('सीएस-२६')])
  })
})
