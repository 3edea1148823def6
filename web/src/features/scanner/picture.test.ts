import { describe, expect, it } from 'vitest'
import { pictureSize, refusal } from './picture'

const bytes = (...parts: (string | number[])[]): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(
    parts.flatMap((part) => (typeof part === 'string' ? Array.from(part).map((sign) => sign.charCodeAt(0)) : part)),
  )
const big32 = (value: number) => [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255]
const big16 = (value: number) => [value >>> 8, value & 255]
const little16 = (value: number) => [value & 255, value >>> 8]

const png = (width: number, height: number) =>
  bytes([0x89], 'PNG', [13, 10, 26, 10], big32(13), 'IHDR', big32(width), big32(height))
const jpeg = (width: number, height: number, before: number[] = []) =>
  bytes([0xff, 0xd8], before, [0xff, 0xc0, ...big16(17), 8], big16(height), big16(width), [3, 0, 0])
const riff = (chunk: string, body: number[]) => bytes('RIFF', [0, 0, 0, 0], 'WEBP', chunk, [0, 0, 0, 0], body)

describe('the size of a picture, before it is decoded', () => {
  it.each([
    ['PNG', png(4000, 3000)],
    ['JPEG', jpeg(4000, 3000)],
    ['JPEG with EXIF data and fill bytes', jpeg(4000, 3000, [0xff, 0xe1, 0, 6, 1, 2, 3, 4, 0xff])],
    ['JPEG with tables first', jpeg(4000, 3000, [0xff, 0xc4, 0, 4, 1, 2])],
    ['WebP, lossy', riff('VP8 ', [0, 0, 0, 0x9d, 0x01, 0x2a, ...little16(4000), ...little16(3000)])],
    ['WebP, lossless', riff('VP8L', [0x2f, ...little16(3999 | ((2999 & 3) << 14)), ...little16(2999 >> 2)])],
    ['WebP, extended', riff('VP8X', [0, 0, 0, 0, ...little16(3999), 0, ...little16(2999), 0])],
  ])('%s', (_name, head) => {
    expect(pictureSize(head.buffer)).toEqual({ width: 4000, height: 3000 })
  })

  it.each([
    '',
    'x',
    'GIF89a........',
    '%PDF-1.7 ..........................',
    '<svg xmlns="http://www.w3.org/2000/svg"/>',
  ])('is unknown for %j', (text) => {
    expect(pictureSize(bytes(text).buffer)).toBeNull()
  })

  it('is unknown for a picture that breaks off', () => {
    expect(pictureSize(png(1, 1).slice(0, 20).buffer)).toBeNull()
    expect(pictureSize(jpeg(1, 1).slice(0, 6).buffer)).toBeNull()
    expect(pictureSize(riff('VP8X', [0]).buffer)).toBeNull()
  })
})

describe('R-SCAN-4: which picture is refused', () => {
  it('none of 12 megapixels', async () => {
    await expect(refusal(new Blob([jpeg(4000, 3000)]))).resolves.toBeNull()
  })

  it('one over 10 MiB, one over 25 megapixels, and what is no picture', async () => {
    await expect(refusal(new Blob([new Uint8Array(10 * 1024 * 1024 + 1)]))).resolves.toContain('larger than 10 MB')
    await expect(refusal(new Blob([png(5001, 5000)]))).resolves.toContain('more than 25 megapixels')
    await expect(refusal(new Blob(['hello']))).resolves.toContain('not a JPEG, PNG or WebP')
  })
})
