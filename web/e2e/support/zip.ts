import { crc32 } from 'node:zlib'

/** Packs files, uncompressed, into a ZIP archive (APPNOTE 4.3). */
export function zipOf(files: Readonly<Record<string, Buffer>>): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let at = 0
  for (const [name, content] of Object.entries(files)) {
    const title = Buffer.from(name)
    const sizes = Buffer.alloc(26)
    // Version 2.0, names in UTF-8.
    sizes.writeUInt16LE(20, 0)
    sizes.writeUInt16LE(0x0800, 2)
    sizes.writeUInt32LE(crc32(content), 10)
    sizes.writeUInt32LE(content.length, 14)
    sizes.writeUInt32LE(content.length, 18)
    sizes.writeUInt16LE(title.length, 22)
    const place = Buffer.alloc(14)
    place.writeUInt32LE(at, 10)
    const local = Buffer.concat([Buffer.from('PK\u0003\u0004'), sizes, title, content])
    directory.push(Buffer.from('PK\u0001\u0002'), Buffer.from([20, 0]), sizes, place, title)
    parts.push(local)
    at += local.length
  }
  const listed = Buffer.concat(directory)
  const end = Buffer.alloc(18)
  const count = Object.keys(files).length
  end.writeUInt16LE(count, 4)
  end.writeUInt16LE(count, 6)
  end.writeUInt32LE(listed.length, 8)
  end.writeUInt32LE(at, 12)
  return Buffer.concat([...parts, listed, Buffer.from('PK\u0005\u0006'), end])
}
