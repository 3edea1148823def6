import { chromium, type Browser, type Page } from '@playwright/test'
import { bare, cards, SYMBOLOGIES, type Card, type Symbology } from '../../bench/scanner/cards'
import { filmFile, rotatedPhotoFile } from './drawings'
import { expect, prepare, test as base } from './test'

/** Scene before the browser's camera. */
type Scene = 'cards near' | 'cards far' | 'two cameras' | 'no camera' | 'not allowed' | 'no secure context'

export const HOST = 'library.test'
export const FAKE_CAMERA = ['--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream']

export const cardOf = (symbology: Symbology): Card => cards(symbology)[3] ?? { symbology, text: '' }
export const allCards = SYMBOLOGIES.map(cardOf)
/** Roll number as registered: lower-case, without the start and stop letters of Codabar. */
export const rollNumberOf = ({ text }: Card) => bare(text).toLowerCase()

function flagsOf(scene: Scene): string[] {
  switch (scene) {
    case 'cards near':
      return [...FAKE_CAMERA, `--use-file-for-fake-video-capture=${filmFile(allCards, 3)}`]
    case 'cards far':
      return [...FAKE_CAMERA, `--use-file-for-fake-video-capture=${filmFile(allCards, 2)}`]
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

/** Drawing takes time on a busy machine, which counts for no test. */
const PREPARATION_MS = 180_000

type SceneFixtures = {
  scene: Scene | null
  /** Browser with this scene; null without one. */
  stage: Browser | null
}
type SceneWorkerFixtures = {
  stages: (scene: Scene) => Promise<Browser>
  /** A file of 12 megapixels with the card EXIF-2026. */
  rotatedPhoto: string
}

/** A camera depends on how the browser is started: each scene has one browser per worker. */
export const test = base.extend<SceneFixtures, SceneWorkerFixtures>({
  scene: [null, { option: true }],

  stages: [
    async ({ launchOptions }, provide) => {
      const running = new Map<Scene, Promise<Browser>>()
      await provide((scene) => {
        const args = [...(launchOptions.args ?? []), ...flagsOf(scene)]
        const browser = running.get(scene) ?? chromium.launch({ ...launchOptions, args })
        running.set(scene, browser)
        return browser
      })
      for (const browser of running.values()) await (await browser).close()
    },
    { scope: 'worker' },
  ],

  rotatedPhoto: [
    // oxlint-disable-next-line no-empty-pattern -- the runner reads the names of the fixtures out of this pattern
    async ({}, provide) => provide(rotatedPhotoFile({ symbology: 'Code128', text: 'EXIF-2026' })),
    { scope: 'worker', timeout: PREPARATION_MS },
  ],

  stage: [
    async ({ scene, stages }, provide) => provide(scene === null ? null : await stages(scene)),
    { timeout: PREPARATION_MS },
  ],

  context: async ({ context, stage, baseURL, permissions, contextOptions, viewport, watch, preloader }, provide) => {
    if (stage === null) return provide(context)
    const own = await stage.newContext({
      ...contextOptions,
      viewport,
      ...(baseURL !== undefined && { baseURL }),
      ...(permissions && { permissions }),
    })
    await prepare(own, watch, preloader)
    await provide(own)
    await own.close()
  },
})

export const email = (page: Page) => page.getByLabel('Email')
export const password = (page: Page) => page.getByLabel('Password', { exact: true })
export const toggle = (page: Page) => page.getByRole('button', { name: 'Scan ID Card' })
export const panel = (page: Page) => page.getByRole('region', { name: 'ID card scanner' })
export const headline = (page: Page) => panel(page).getByRole('status')
export const AIM = 'Point the camera at the barcode on your card.'

/** Types like a keyboard wedge: a key every five milliseconds, however busy the machine. */
export async function wedgeScan(page: Page, code: string, end: 'Enter' | 'Tab' = 'Enter'): Promise<void> {
  const devtools = await page.context().newCDPSession(page)
  const begun = Date.now() / 1000
  const keys = [
    ...Array.from(code, (key) => ({ key, text: key })),
    end === 'Enter' ? { key: end, text: '\r' } : { key: end, text: '', windowsVirtualKeyCode: 9 },
  ]
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

/** Keeps every stream that the page gets, to see whether a camera is on. */
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
