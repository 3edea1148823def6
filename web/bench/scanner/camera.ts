/** Camera benchmark: time until each card of a film is accepted, compared with html5-qrcode on the same film. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium } from '@playwright/test'
import { createServer } from 'vite'
import { browserPath } from '../../e2e/support/needs'
import type { Run } from './cameraPage'
import { bare, cards, SYMBOLOGIES, type Card } from './cards'
import { EMPTY, film, SHOWN, type Film } from './video'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const SOON_MS = 500
const PER_SYMBOLOGY = 2
/** Duration of two rounds of the film. */
const SECONDS = Math.ceil((SYMBOLOGIES.length * PER_SYMBOLOGY * (SHOWN + EMPTY) * 2) / 30) + 2

type Figures = {
  soon: Map<string, { accepted: number; appeared: number }>
  delays: number[]
  wrong: string[]
  framesPerSecond: number
}

function figures({ seen, reads, framesPerSecond }: Run, { cardOf }: Film, shown: readonly Card[]): Figures {
  const result: Figures = { soon: new Map(), delays: [], wrong: [], framesPerSecond }
  const appearances: { card: Card; from: number; to: number }[] = []
  for (const [at, { at: from, number }] of seen.entries()) {
    const index = cardOf(number)
    const card = index === null ? undefined : shown[index]
    const to = seen[at + 1]?.at
    // The first card was in view before the scan began; the last one may be cut off.
    if (card && to !== undefined && at > 0) appearances.push({ card, from, to })
  }
  for (const { card, from, to } of appearances) {
    const tally = result.soon.get(card.symbology) ?? { accepted: 0, appeared: 0 }
    result.soon.set(card.symbology, tally)
    tally.appeared += 1
    const first = reads.find(({ at, text }) => at >= from && at < to && bare(text) === bare(card.text))
    if (!first) continue
    result.delays.push(first.at - from)
    if (first.at - from <= SOON_MS) tally.accepted += 1
  }
  for (const { at, text } of reads) {
    // A frame taken before a card left may be decoded after that.
    const lately = seen.filter((moment, index) => moment.at <= at && (seen[index + 1]?.at ?? Infinity) > at - 200)
    const right = lately.some(({ number }) => {
      const index = cardOf(number)
      return index !== null && bare(shown[index]?.text ?? '') === bare(text)
    })
    if (!right) result.wrong.push(text)
  }
  return result
}

export async function cameraTable(): Promise<{ table: string; misses: string[] }> {
  const folder = await mkdtemp(join(tmpdir(), 'library-scan-'))
  const server = await createServer({
    root: ROOT,
    configFile: false,
    logLevel: 'error',
    server: { host: 'localhost', port: 0 },
    optimizeDeps: { include: ['html5-qrcode', 'zxing-wasm/reader'] },
  })
  const misses: string[] = []
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`
  const rows = [
    line(['Accepted within 500 ms / appeared', ...SYMBOLOGIES, 'slowest ms', 'wrong', 'frames/s']),
    line(['---', ...SYMBOLOGIES.map(() => '--:'), '--:', '--:', '--:']),
  ]
  try {
    await server.listen()
    const url = new URL('bench/scanner/camera.html', server.resolvedUrls?.local[0]).href
    const shown = Array.from({ length: PER_SYMBOLOGY }, (_, at) =>
      SYMBOLOGIES.map((symbology) => cards(symbology)[at + 1]),
    )
      .flat()
      .filter((card) => card !== undefined)
    for (const [distance, module] of [
      ['near (3 px per module)', 3],
      ['far (2 px per module)', 2],
    ] as const) {
      const reel = film(shown, module)
      const file = join(folder, `${module}.mjpeg`)
      await writeFile(file, reel.jpegs)
      for (const who of ['ours', 'html5-qrcode'] as const) {
        const browser = await chromium.launch({
          executablePath: browserPath(),
          args: [
            '--no-sandbox',
            '--use-fake-device-for-media-stream',
            '--use-fake-ui-for-media-stream',
            `--use-file-for-fake-video-capture=${file}`,
          ],
        })
        try {
          const page = await browser.newPage({ viewport: { width: 1024, height: 768 }, permissions: ['camera'] })
          page.on('pageerror', (error) => console.error(`${who}: ${error.message}`))
          await page.goto(url)
          await page.waitForFunction('window.measure !== undefined')
          // Loads and warms up the decoder, as it is for the second person in the queue.
          await page.evaluate((name) => window.measure(name, 2), who)
          const run = await page.evaluate(([name, seconds]) => window.measure(name, seconds), [who, SECONDS] as const)
          const { soon, delays, wrong, framesPerSecond } = figures(run, reel, shown)
          rows.push(
            line([
              `${who}, ${distance}`,
              ...SYMBOLOGIES.map((symbology) => {
                const { accepted, appeared } = soon.get(symbology) ?? { accepted: 0, appeared: 0 }
                if (who === 'ours' && (accepted < appeared || appeared === 0)) {
                  misses.push(`${distance}: ${symbology} ${accepted} of ${appeared} within ${SOON_MS} ms`)
                }
                return `${accepted} / ${appeared}`
              }),
              delays.length > 0 ? Math.max(...delays).toFixed(0) : '–',
              String(wrong.length),
              framesPerSecond.toFixed(1),
            ]),
          )
          for (const text of wrong) console.error(`${who}, ${distance}: wrong text ${text}`)
          if (who === 'ours' && wrong.length > 0) misses.push(`${distance}: ${wrong.length} wrong texts`)
          if (who === 'ours' && framesPerSecond < 18) {
            misses.push(`${distance}: ${framesPerSecond.toFixed(1)} frames per second, at least 18 expected`)
          }
        } finally {
          await browser.close()
        }
      }
    }
  } finally {
    await server.close()
    await rm(folder, { recursive: true, force: true })
  }
  return { table: rows.join('\n'), misses }
}
