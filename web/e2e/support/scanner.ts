import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, type Page } from '@playwright/test'
import { bare, cards, SYMBOLOGIES, type Card, type Symbology } from '../../bench/scanner/cards'
import { film } from '../../bench/scanner/video'
import { expect, prepare, test as base } from './test'

/** What stands before the browser's camera. */
type Scene = 'cards near' | 'cards far' | 'two cameras' | 'no camera' | 'not allowed' | 'no secure context'

export const HOST = 'library.test'
const FAKE_CAMERA = ['--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream']

export const cardOf = (symbology: Symbology): Card => cards(symbology)[3] ?? { symbology, text: '' }
export const allCards = SYMBOLOGIES.map(cardOf)
/** As the card's owner has it: without the letters that frame a Codabar, in lower case. */
export const rollNumberOf = ({ text }: Card) => bare(text).toLowerCase()

const films = new Map<number, string>()

/** Drawn once in each process. */
function filmFile(module: number): string {
  const drawnBefore = films.get(module)
  if (drawnBefore !== undefined) return drawnBefore
  const file = join(mkdtempSync(join(tmpdir(), 'library-film-')), 'cards.mjpeg')
  writeFileSync(file, film(allCards, module, 24, 6).jpegs)
  films.set(module, file)
  return file
}

function flagsOf(scene: Scene): string[] {
  switch (scene) {
    case 'cards near':
      return [...FAKE_CAMERA, `--use-file-for-fake-video-capture=${filmFile(3)}`]
    case 'cards far':
      return [...FAKE_CAMERA, `--use-file-for-fake-video-capture=${filmFile(2)}`]
    case 'two cameras':
      return ['--use-fake-device-for-media-stream=device-count=2', '--use-fake-ui-for-media-stream']
    case 'no camera':
      return ['--use-fake-ui-for-media-stream']
    case 'not allowed':
      return ['--use-fake-device-for-media-stream']
    case 'no secure context':
      return [...FAKE_CAMERA, `--host-resolver-rules=MAP ${HOST} 127.0.0.1`]
  }
}

/** A camera is a matter of how the browser is started: a scene has a browser of its own. */
export const test = base.extend<{ scene: Scene | null }>({
  scene: [null, { option: true }],
  context: async (
    { context, scene, launchOptions, baseURL, permissions, contextOptions, viewport, watch, preloader },
    provide,
  ) => {
    if (scene === null) return provide(context)
    const args = [...(launchOptions.args ?? []), ...flagsOf(scene)]
    const browser = await chromium.launch({ ...launchOptions, args })
    const own = await browser.newContext({
      ...contextOptions,
      viewport,
      ...(baseURL !== undefined && { baseURL }),
      ...(permissions && { permissions }),
    })
    await prepare(own, watch, preloader)
    await provide(own)
    await browser.close()
  },
})

export const email = (page: Page) => page.getByLabel('Email')
export const password = (page: Page) => page.getByLabel('Password', { exact: true })
export const toggle = (page: Page) => page.getByRole('button', { name: 'Scan ID Card' })
export const panel = (page: Page) => page.getByRole('region', { name: 'ID card scanner' })
export const headline = (page: Page) => panel(page).getByRole('status')
export const AIM = 'Hold the code of your card into the box.'

/** What a hand scanner does: a key every five milliseconds, however busy the machine is that plays it. */
export async function handScan(page: Page, code: string): Promise<void> {
  const devtools = await page.context().newCDPSession(page)
  const begun = Date.now() / 1000
  const keys = [...Array.from(code, (key) => ({ key, text: key })), { key: 'Enter', text: '\r' }]
  await Promise.all(
    keys.flatMap((key, at) => {
      const timestamp = begun + at * 0.005
      return [
        devtools.send('Input.dispatchKeyEvent', { type: 'keyDown', timestamp, ...key }),
        devtools.send('Input.dispatchKeyEvent', { type: 'keyUp', timestamp: timestamp + 0.002, key: key.key }),
      ]
    }),
  )
  await devtools.detach()
}

export async function openScanner(page: Page): Promise<void> {
  await page.goto('login')
  await toggle(page).click()
  await expect(panel(page)).toBeVisible()
}

/** Whether any camera is on; every stream that the page was given is kept for this question. */
export async function keepStreams(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const streams: MediaStream[] = []
    Object.assign(window, { streams })
    const media = navigator.mediaDevices
    const open = media.getUserMedia.bind(media)
    media.getUserMedia = async (wishes) => {
      const stream = await open(wishes)
      streams.push(stream)
      return stream
    }
  })
}

export const camerasOn = (page: Page) =>
  page.evaluate(() => {
    const { streams } = window as unknown as { streams: MediaStream[] }
    return streams.flatMap((stream) => stream.getTracks()).filter((track) => track.readyState === 'live').length
  })
