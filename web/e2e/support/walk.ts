import { expect, type Page } from '@playwright/test'
import { expectAccessible, expectNoSidewaysScroll } from './accessible'
import { expectEdges, expectReadable, expectRoomForFingers } from './layout'
import type { Library, Person } from './library'
import { expectOwnWords } from './words'

export type Situation = { page: Page; library: Library; who: Person | null }

/** A screen in one of its states. */
export type State = {
  name: string
  /** Brings the page into the state. */
  reach: (situation: Situation) => Promise<void>
  /** Expected console errors of this state. */
  excused?: readonly RegExp[]
  /** Further expectations of this state. */
  also?: (situation: Situation) => Promise<void>
}

/** A screen by its address, and its states. */
export type Walk = {
  address: string
  /** Prepares the data; returns the address if it is known only then. */
  prepare?: (situation: Situation) => Promise<string | void>
  excused?: readonly RegExp[]
  /** Known failures of this screen; nothing may be added. */
  open?: readonly ('touch' | 'words')[]
  states?: readonly State[]
}

const DESK = { width: 1440, height: 900 }
const PHONE = { width: 320, height: 640 }
const TABLET = { width: 768, height: 1024 }
/** Width of current phones. */
const FINGERS = { width: 390, height: 844 }

/** Waits until no request is pending. */
export async function settled(page: Page): Promise<void> {
  await expect(page.getByRole('heading', { level: 1 }).filter({ visible: true })).toHaveCount(1)
  await expect(page.locator('.mantine-Skeleton-root')).toHaveCount(0)
  await expect(page.locator('[aria-busy="true"]')).toHaveCount(0)
}

async function colours(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme })
  await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', colorScheme)
}

/** Checks light and dark, wide and as narrow as a small phone. */
export async function expectWell(page: Page, state: string): Promise<void> {
  await page.setViewportSize(DESK)
  await colours(page, 'light')
  await expectAccessible(page, `${state}, light`)
  await colours(page, 'dark')
  await expectAccessible(page, `${state}, dark`, 'colours')
  await page.setViewportSize(PHONE)
  await expectNoSidewaysScroll(page, `${state}, 320 px`)
  await expectAccessible(page, `${state}, dark, 320 px`, 'all but contrast')
  await colours(page, 'light')
}

/** Checks the size of targets on touch screens (U27). */
async function expectTouchable(page: Page, state: string): Promise<void> {
  await page.setViewportSize(FINGERS)
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Emulation.setTouchEmulationEnabled', { enabled: true, maxTouchPoints: 5 })
  await expect.poll(() => page.evaluate(() => matchMedia('(pointer: coarse)').matches)).toBe(true)
  await expectRoomForFingers(page, `${state} by touch`)
  await devtools.send('Emulation.setTouchEmulationEnabled', { enabled: false })
  await devtools.detach()
}

/** WCAG 1.4.4 and 1.4.10: checks enlarged pages and text. */
async function expectReadableWhenLarger(page: Page, state: string): Promise<void> {
  // A page of 1280 × 900 pixels at 200 %.
  await page.setViewportSize({ width: 640, height: 450 })
  await expectReadable(page, `${state} at 200 %`)
  // The browser's text size, which enlarges text only. Widths in em change when the page is resized.
  const devtools = await page.context().newCDPSession(page)
  const size = () => page.evaluate(() => getComputedStyle(document.documentElement).fontSize)
  await devtools.send('Page.setFontSizes', { fontSizes: { standard: 32, fixed: 26 } })
  await page.setViewportSize({ width: 1280, height: 900 })
  await expect.poll(size).toBe('32px')
  await expectReadable(page, `${state} with letters of twice the size`)
  await devtools.send('Page.setFontSizes', { fontSizes: { standard: 16, fixed: 13 } })
  await expect.poll(size).toBe('16px')
  await devtools.detach()
}

/** Forced colours remove backgrounds and shadows: edges must remain (U13). */
async function expectSeenInForcedColours(page: Page, state: string): Promise<void> {
  await page.setViewportSize(DESK)
  await page.emulateMedia({ forcedColors: 'active', colorScheme: 'dark' })
  await expectEdges(page, `${state} in forced colours`)
  await page.emulateMedia({ forcedColors: 'none', colorScheme: 'light' })
}

/** Checks with longer words, and from right to left, that every word is from the catalogue and nothing overflows. */
async function expectTranslatable(page: Page, address: string, ownWords: boolean): Promise<void> {
  for (const script of ['pseudo', 'pseudo-rtl'] as const) {
    const [place, hash] = address.split('#') as [string, string?]
    const link = `${place}${place.includes('?') ? '&' : '?'}lang=${script}`
    await page.goto(hash === undefined ? link : `${link}#${hash}`)
    await settled(page)
    for (const viewport of [DESK, PHONE]) {
      const state = `${address} in ${script} at ${viewport.width} px`
      await page.setViewportSize(viewport)
      if (ownWords) await expectOwnWords(page, state)
      await expectNoSidewaysScroll(page, state)
    }
    await expectAccessible(page, `${address} in ${script}`, 'language')
  }
}

/** Checks of every screen, once it is open. */
export async function walkScreen(page: Page, address: string, open: Walk['open'] = []): Promise<void> {
  await page.setViewportSize(DESK)
  await page.goto(address)
  await settled(page)
  await expectWell(page, address)
  if (!open.includes('touch')) await expectTouchable(page, address)
  await page.setViewportSize(TABLET)
  await expectReadable(page, `${address} on a tablet`)
  await expectReadableWhenLarger(page, address)
  await expectSeenInForcedColours(page, address)
  await expectTranslatable(page, address, !open.includes('words'))
}
