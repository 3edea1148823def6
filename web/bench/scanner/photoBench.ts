/** Photo benchmark: whole cards, read as picture files, compared with zxing-wasm alone on the same pixels. */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader'
import { prepareDecoder } from '../../src/features/scanner/decode'
import { readStill } from '../../src/features/scanner/still'
import { bare, type Rgba } from './cards'
import { GRADES, PHOTO_SYMBOLOGIES, photos, type Grade } from './photos'

/** Seed of the held-out photographs: tune with those of smaller seeds. */
const HELD_OUT_SEED = 2026
const PER_GRADE = 80
const LEAST_READ = 205
const MOST_WRONG = 1
const MOST_MS = 1500

type Reader = (frame: Rgba) => Promise<string | null>
type Result = { read: Record<Grade, number>; wrong: string[]; times: number[] }

const quantile = (times: number[], share: number) =>
  times.toSorted((one, other) => one - other)[Math.floor(times.length * share)] ?? 0

async function readers(): Promise<Record<string, Reader>> {
  const file = await readFile(createRequire(import.meta.url).resolve('zxing-wasm/reader/zxing_reader.wasm'))
  const overrides = { wasmBinary: Uint8Array.from(file).buffer }
  await prepareDecoder(overrides)
  await prepareZXingModule({ overrides, fireImmediately: true })
  return {
    'zxing-wasm 3.1.4': async (frame) => {
      const results = await readBarcodes(
        { ...frame, colorSpace: 'srgb' },
        { formats: [...PHOTO_SYMBOLOGIES], maxNumberOfSymbols: 1, textMode: 'Plain' },
      )
      const found = results.find(({ isValid, text }) => isValid && text !== '')
      return found ? found.text.replace(/^0(?=\d{12}$)/, '') : null
    },
    ours: async (frame) => (await readStill(frame))?.text ?? null,
  }
}

export async function photoTable(seed = HELD_OUT_SEED): Promise<{ table: string; misses: string[] }> {
  const all = await readers()
  const results: Record<string, Result> = {}
  for (const name of Object.keys(all)) results[name] = { read: { easy: 0, medium: 0, hard: 0 }, wrong: [], times: [] }
  for (const { name: photo, grade, text: expected, picture } of photos(PER_GRADE, seed)) {
    for (const [name, read] of Object.entries(all)) {
      const result = results[name]!
      // Processor time, so that other load on the machine does not count.
      const begun = process.cpuUsage()
      const text = await read(picture)
      const { user, system } = process.cpuUsage(begun)
      result.times.push((user + system) / 1000)
      if (text !== null && bare(text) === bare(expected)) result.read[grade] += 1
      else if (text !== null) result.wrong.push(`${photo} ${expected} read as ${text}`)
    }
  }
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`
  const sum = ({ read }: Result) => GRADES.reduce((total, grade) => total + read[grade], 0)
  const rows = [
    line([`Read of ${PER_GRADE} each`, ...GRADES, `all ${PER_GRADE * GRADES.length}`, 'wrong', 'p50 ms', 'p95 ms']),
    line(['---', ...GRADES.map(() => '--:'), '--:', '--:', '--:', '--:']),
    ...Object.entries(results).map(([name, result]) =>
      line([
        name,
        ...GRADES.map((grade) => String(result.read[grade])),
        String(sum(result)),
        String(result.wrong.length),
        quantile(result.times, 0.5).toFixed(0),
        quantile(result.times, 0.95).toFixed(0),
      ]),
    ),
  ]
  for (const [name, { wrong }] of Object.entries(results)) for (const text of wrong) console.error(`${name}: ${text}`)
  const ours = results['ours']!
  const p95 = quantile(ours.times, 0.95)
  const misses = [
    sum(ours) < LEAST_READ && `read ${sum(ours)}, at least ${LEAST_READ} expected`,
    ours.wrong.length > MOST_WRONG && `${ours.wrong.length} wrong texts, at most ${MOST_WRONG} expected`,
    p95 > MOST_MS && `${p95.toFixed(0)} ms at the 95th percentile, at most ${MOST_MS} expected`,
  ].filter((miss) => miss !== false)
  return { table: rows.join('\n'), misses }
}
