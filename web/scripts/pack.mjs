/**
 * Writes compressed copies (.br, .gz) of every built file that shrinks by at least a tenth: compressed once here at the
 * highest level, instead of for each request. The server picks the encoding that the browser accepts.
 */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

const dist = new URL('../dist/', import.meta.url)
const PACKED = /\.(js|css|html|svg|json|wasm|txt|webmanifest)$/

const packers = {
  br: (data) =>
    promisify(brotliCompress)(data, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: data.length },
    }),
  gz: (data) => promisify(gzip)(data, { level: 9 }),
}

let [before, after] = [0, 0]
for (const entry of await readdir(dist, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile() || !PACKED.test(entry.name)) continue
  const file = `${entry.parentPath}/${entry.name}`
  const data = await readFile(file)
  for (const [suffix, pack] of Object.entries(packers)) {
    const packed = await pack(data)
    if (packed.length > data.length * 0.9) continue
    await writeFile(`${file}.${suffix}`, packed)
    if (suffix === 'br') {
      before += data.length
      after += packed.length
    }
  }
}
console.log(`packed: ${Math.round(before / 1024)} KiB are ${Math.round(after / 1024)} KiB in transit`)
