/**
 * Measures a student's first visit on a slow line, beside a bare program of the same libraries: 360×640, 400 kbit/s,
 * 400 ms, processor slowed 4x, empty cache, median of three visits. Needs CHROMIUM and a running demo library.
 * Usage: node bench/first-use/run.mjs http://127.0.0.1:8080
 */
import { chromium } from '@playwright/test'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, request } from 'node:http'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { build } from 'vite'

const library = new URL(process.argv[2] ?? 'http://127.0.0.1:8080')
const folder = await mkdtemp(join(tmpdir(), 'first-use-'))
const root = new URL('.', import.meta.url).pathname
await build({ configFile: false, root, base: '/', logLevel: 'error', build: { outDir: folder, emptyOutDir: true } })

const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' }
/** Serves the bare program compressed, and the library under its own paths. */
const server = createServer((asked, answer) => {
  if (asked.url.startsWith('/library/')) {
    const { hostname, port } = library
    const forward = request(
      { hostname, port, path: asked.url, method: asked.method, headers: asked.headers },
      (its) => {
        answer.writeHead(its.statusCode, its.headers)
        its.pipe(answer)
      },
    )
    forward.on('error', () => answer.destroy())
    asked.pipe(forward)
    return
  }
  const file = asked.url === '/' ? '/index.html' : asked.url
  if (!(extname(file) in TYPES)) {
    answer.writeHead(404).end()
    return
  }
  answer.writeHead(200, { 'content-type': TYPES[extname(file)], 'content-encoding': 'br' })
  answer.end(brotliCompressSync(readFileSync(join(folder, file))))
})
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
const origin = `http://127.0.0.1:${server.address().port}`

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM })
const phone = { viewport: { width: 360, height: 640 }, isMobile: true, hasTouch: true }

/** Signs the demo's student in; returns what the browser keeps. */
async function signedIn() {
  const context = await browser.newContext(phone)
  const page = await context.newPage()
  await page.goto(`${origin}/library/login`)
  await page.getByLabel('Email').fill('student@demo.library')
  await page.getByLabel('Password', { exact: true }).fill('demo-library')
  await page.getByRole('button', { name: 'Sign In', exact: true }).click()
  await page.getByRole('searchbox').waitFor()
  const kept = await context.storageState()
  await context.close()
  return kept
}

/**
 * Visits an address with an empty cache; returns seconds until the search box, until the first book with its cover and
 * until the app itself shows a book, and kilobytes then.
 */
async function visit(address, storageState) {
  const context = await browser.newContext({ ...phone, storageState, serviceWorkers: 'block' })
  const page = await context.newPage()
  const tools = await context.newCDPSession(page)
  await tools.send('Network.enable')
  const line = { offline: false, latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 }
  await tools.send('Network.emulateNetworkConditions', line)
  await tools.send('Emulation.setCPUThrottlingRate', { rate: 4 })
  let bytes = 0
  tools.on('Network.dataReceived', ({ encodedDataLength }) => (bytes += encodedDataLength))
  const begun = performance.now()
  const since = () => (performance.now() - begun) / 1000
  const link = 'a[href*="/stubook-detail/"]'
  const first = (selector) => page.locator(selector).first().waitFor({ timeout: 60_000 })
  // The bare program draws no covers.
  const hasCover = () => {
    const [cover] = document.querySelectorAll('#early img, #main article img')
    return cover ? cover.complete && cover.naturalWidth > 0 : !location.pathname.startsWith('/library/')
  }
  const [box, book, app] = await Promise.all([
    page.getByRole('searchbox').waitFor({ timeout: 60_000 }).then(since),
    first(`main ${link}`)
      .then(() => page.waitForFunction(hasCover))
      .then(since),
    first(`#root ${link}`).then(() => [since(), bytes / 1000]),
    page.goto(address, { waitUntil: 'commit' }),
  ])
  await context.close()
  return [box, book, ...app]
}

const kept = await signedIn()
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]
console.log('| First visit | search box, s | first book, s | book of the app, s | kB |\n|---|---:|---:|---:|---:|')
for (const [what, address] of [
  ['bare program', `${origin}/`],
  ['student home', `${origin}/library/student-home`],
]) {
  const visits = []
  for (let n = 0; n < 3; n++) visits.push(await visit(address, kept))
  const [box, book, app, kilobytes] = [0, 1, 2, 3].map((at) => median(visits.map((one) => one[at])))
  console.log(`| ${what} | ${box.toFixed(1)} | ${book.toFixed(1)} | ${app.toFixed(1)} | ${kilobytes.toFixed(0)} |`)
}
await browser.close()
server.close()
await rm(folder, { recursive: true })
