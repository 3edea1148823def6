import { t } from '../../lib/messages'
/** Maximum size of a picture file; larger ones only make the browser slow. */
const MAX_BYTES = 10 * 1024 * 1024
const MAX_PIXELS = 25_000_000
/** Number of bytes read to find the size, which may follow the largest metadata block at the start of a JPEG. */
const HEAD_BYTES = 512 * 1024

type Size = { width: number; height: number }

function ascii(view: DataView, at: number, length: number): string {
  let text = ''
  for (let n = at; n < at + length && n < view.byteLength; n += 1) text += String.fromCharCode(view.getUint8(n))
  return text
}

function pngSize(view: DataView): Size | null {
  if (ascii(view, 1, 3) !== 'PNG' || ascii(view, 12, 4) !== 'IHDR') return null
  return { width: view.getUint32(16), height: view.getUint32(20) }
}

function webpSize(view: DataView): Size | null {
  if (ascii(view, 0, 4) !== 'RIFF' || ascii(view, 8, 4) !== 'WEBP') return null
  switch (ascii(view, 12, 4)) {
    case 'VP8 ':
      return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff }
    case 'VP8L': {
      const bits = view.getUint32(21, true)
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
    }
    case 'VP8X': {
      const three = (at: number) => view.getUint16(at, true) + view.getUint8(at + 2) * 0x10000
      return { width: three(24) + 1, height: three(27) + 1 }
    }
    default:
      return null
  }
}

function jpegSize(view: DataView): Size | null {
  if (view.getUint16(0) !== 0xffd8) return null
  let at = 2
  while (at + 9 <= view.byteLength && view.getUint8(at) === 0xff) {
    const marker = view.getUint8(at + 1)
    // Fill bytes may precede a marker.
    if (marker === 0xff) {
      at += 1
      continue
    }
    // Start of a frame: C0 to CF, except DHT (C4), the reserved JPG (C8) and DAC (CC).
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) }
    }
    at += 2 + view.getUint16(at + 2)
  }
  return null
}

/** Reads the size of a JPEG, PNG or WebP from its first bytes; null for other files. */
export function pictureSize(head: ArrayBuffer): Size | null {
  const view = new DataView(head)
  try {
    return pngSize(view) ?? webpSize(view) ?? jpegSize(view)
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

/** Returns the reason for refusing a file; null if it may be decoded. */
export async function refusal(file: Blob): Promise<string | null> {
  if (file.size > MAX_BYTES) return t('scanner.picture.tooLarge')
  const size = pictureSize(await file.slice(0, HEAD_BYTES).arrayBuffer())
  if (!size) return t('scanner.picture.noPicture')
  if (size.width * size.height > MAX_PIXELS) {
    return t('scanner.picture.tooMany')
  }
  return null
}
