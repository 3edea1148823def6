/**
 * Measures the screens of a large library in a browser with a slowed processor: largest paint, latency of a press or a
 * key, longest tasks, and blank areas while scrolling.
 */
import { appendFileSync } from 'node:fs'
import { chromium, type BrowserContext, type CDPSession, type Page } from '@playwright/test'
import { browserPath } from '../../e2e/support/needs'
import { startLooking, WatchedPage, type Scrolled, type Seen } from './watch'

const needed = (name: string): string => {
  const value = process.env[name]
  if (value === undefined) throw new Error(`${name} is not set: start this with the example bench-browser`)
  return value
}

const CARDS = Number(process.env['BENCH_CARDS'] ?? 10_000)
const PHONE_CARDS = Math.min(CARDS, 500)
const SLOWER = Number(process.env['BENCH_SLOWER'] ?? 4)
/** Pixels per second: a strong flick on a touchpad. */
const SPEED = 8000
const GESTURE = 5000

type Row = { what: string; bytes?: number; lcp?: number; seen: Seen; blank?: number; frame?: number; note?: string }

/** Minimum duration of the preloader of index.html, in milliseconds (src/app/preloader.ts). */
const PRELOADER = 1200

/** Note of a row that measures the lower bound of a screen. */
const LIMIT = 'limit'

/** Goals in milliseconds. */
const GOALS = { lcp: 1000, interaction: 50, task: 50, blank: 100, frame: 50 }

/** Scrolls down by one strong flick. */
async function flick(page: Page, devtools: CDPSession): Promise<void> {
  const { width, height } = page.viewportSize() ?? { width: 0, height: 0 }
  await devtools.send('Input.synthesizeScrollGesture', {
    x: width / 2,
    y: height / 2,
    yDistance: -GESTURE,
    speed: SPEED,
    gestureSourceType: 'mouse',
  })
}

function p95(frames: readonly number[]): number {
  const sorted = frames.toSorted((one, other) => one - other)
  return sorted[Math.floor(sorted.length * 0.95)] ?? 0
}

class Measuring {
  readonly rows: Row[] = []
  readonly origin: string
  readonly context: BrowserContext

  constructor(origin: string, context: BrowserContext) {
    this.origin = origin
    this.context = context
  }

  async #open(): Promise<WatchedPage> {
    return WatchedPage.start(await this.context.newPage(), SLOWER)
  }

  /** Loads a screen from its address, with an empty cache. */
  async #load(what: string, path: string, ready: (page: Page) => Promise<unknown>): Promise<WatchedPage> {
    const watched = await this.#open()
    await watched.devtools.send('Network.clearBrowserCache')
    await watched.page.goto(`${this.origin}/library/${path}`)
    await ready(watched.page)
    await watched.page.waitForFunction(() => document.getElementById('preloader') === null)
    await watched.quiet()
    const seen = await watched.look()
    const { lcp, shown } = await watched.paints()
    this.rows.push({ what, lcp, bytes: watched.bytes, seen, note: `preloader away after ${Math.round(shown)} ms` })
    return watched
  }

  async #step(what: string, watched: WatchedPage, act: (page: Page) => Promise<unknown>): Promise<void> {
    const before = watched.bytes
    await act(watched.page)
    await watched.quiet()
    this.rows.push({ what, bytes: watched.bytes - before, seen: await watched.look() })
  }

  async student(email: string, password: string): Promise<void> {
    const cards = (page: Page) => page.locator('[role=listitem] article').first().waitFor()
    const sign = await this.#load('sign-in screen', 'login', (page) => page.getByLabel('Email').waitFor())
    await this.#step('signing in, until the first cards', sign, async (page) => {
      await page.getByLabel('Email').pressSequentially(email, { delay: 40 })
      await page.locator('input[type=password]').pressSequentially(password, { delay: 40 })
      await page.keyboard.press('Enter')
      await cards(page)
    })
    await sign.page.close()

    const home = await this.#load('home of a student', 'student-home', cards)
    await this.#step('typing a search', home, async (page) => {
      const found = (words: string) =>
        page.waitForFunction(
          (wanted) =>
            new URLSearchParams(location.search).get('q') === wanted && !document.querySelector('[data-stale]'),
          words,
        )
      await page.getByRole('searchbox').pressSequentially('history of', { delay: 180 })
      await found('history of')
      for (let key = 0; key < 3; key++) await page.keyboard.press('Backspace', { delay: 60 })
      await found('history')
    })
    await this.#step('opening a book', home, async (page) => {
      await page.locator('[role=listitem] a[data-result]').first().click()
      await page.getByRole('button', { name: 'Borrow' }).waitFor()
    })
    await this.#step('back to the list', home, async (page) => {
      await page.goBack()
      await cards(page)
    })
    await home.page.close()

    await this.limits()
    await this.scroll(CARDS)
    await this.scrollLimit(PHONE_CARDS)
  }

  /**
   * Measures lower bounds of the home's tasks: its scripts evaluated without rendering, and its content as plain HTML,
   * parsed, laid out and painted in one piece.
   */
  async limits(): Promise<void> {
    const path = `${this.origin}/library/student-home`
    const change = async (what: string, changed: (html: string) => string) => {
      const watched = await this.#open()
      await watched.devtools.send('Network.clearBrowserCache')
      await watched.page.route(path, async (route) => {
        const response = await route.fetch()
        await route.fulfill({ response, body: changed(await response.text()) })
      })
      await watched.page.goto(path)
      await watched.quiet()
      this.rows.push({ what, bytes: watched.bytes, seen: await watched.look(), note: LIMIT })
      await watched.page.close()
    }
    await change('the scripts of a student’s home, evaluated alone', (html) =>
      html.replace('id="root"', 'id="no-root"'),
    )
    const home = await this.#open()
    await home.page.goto(path)
    await home.page.locator('[role=listitem] article').first().waitFor()
    await home.quiet()
    const content = await home.page.evaluate(() => document.documentElement.outerHTML)
    await home.page.close()
    const still = content
      .replaceAll(/<script[^>]*>[^]*?<\/script>/g, '')
      .replaceAll(/<link[^>]*modulepreload[^>]*>/g, '')
    await change('the content of a student’s home, as plain HTML', () => still)
  }

  /** Measures the lower bound of a scrolling frame: as many of the home's cards as plain HTML, laid out before. */
  async scrollLimit(count: number): Promise<void> {
    const path = `${this.origin}/library/student-home`
    const { page, devtools } = await this.#open()
    await page.goto(path)
    await page.locator('[role=listitem] article').first().waitFor()
    const still = await page.evaluate((wanted) => {
      const rows = [...document.querySelectorAll<HTMLElement>('[role=list] > [role=presentation]')]
      const list = rows[0]?.parentElement
      if (!list) throw new Error('the home has no list')
      const cards = list.querySelectorAll('article').length
      for (const row of rows) row.style.position = 'static'
      for (const row of rows) row.style.transform = ''
      list.style.height = 'auto'
      list.innerHTML = rows
        .map((row) => row.outerHTML)
        .join('')
        .repeat(Math.ceil(wanted / cards))
      document.getElementById('preloader')?.remove()
      for (const script of document.querySelectorAll('script, link[rel=modulepreload]')) script.remove()
      return document.documentElement.outerHTML
    }, count)
    await page.route(path, async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, body: still })
    })
    await page.goto(path)
    await page.waitForLoadState('load')
    await page.waitForTimeout(2000)
    await page.evaluate(startLooking)
    const bottom = () => page.evaluate(() => innerHeight + scrollY >= document.documentElement.scrollHeight - 1)
    while (!(await bottom())) await flick(page, devtools)
    const { frames } = await page.evaluate<Scrolled>('scrolled')
    const { width } = page.viewportSize() ?? { width: 0 }
    this.rows.push({
      what: `scrolling ${count} cards of plain HTML, ${width} pixels wide`,
      seen: { interaction: 0, task: 0, tasks: 0 },
      frame: p95(frames),
      note: LIMIT,
    })
    await page.close()
  }

  /** Scrolls down the list in strong flicks. */
  async scroll(count: number): Promise<void> {
    const watched = await this.#load('home again, to scroll', 'student-home', (page) =>
      page.locator('[role=listitem] article').first().waitFor(),
    )
    this.rows.pop()
    const { page, devtools } = watched
    const before = watched.bytes
    await page.evaluate(startLooking)
    const begun = Date.now()
    const last = () =>
      page.evaluate(() => {
        const cards = [...document.querySelectorAll('[role=listitem]:has(article)')]
        return Number(cards.at(-1)?.getAttribute('aria-posinset') ?? 0)
      })
    const { width } = page.viewportSize() ?? { width: 0 }
    while ((await last()) < count) await flick(page, devtools)
    const seconds = (Date.now() - begun) / 1000
    const found = await page.evaluate<Scrolled>('scrolled')
    this.rows.push({
      what: `scrolling ${count} cards, ${width} pixels wide`,
      bytes: watched.bytes - before,
      seen: await watched.look(),
      blank: found.blank,
      frame: p95(found.frames),
      note: `${Math.round(seconds)} s; outlines of cards for ${Math.round(found.outlines)} ms at the most`,
    })
    await page.close()
  }

  async librarian(card: string, copies: readonly string[]): Promise<void> {
    const home = await this.#load('home of a librarian', 'home', (page) =>
      page.locator('[role=listitem] article').first().waitFor(),
    )
    await home.page.close()
    const desk = await this.#load('desk', 'desk', (page) => page.getByRole('textbox').first().waitFor())
    await this.#step('desk: a card, three loans, three returns', desk, async (page) => {
      const scan = async (code: string, answered: string | RegExp) => {
        await page.keyboard.type(`${code}\n`)
        await page.getByText(answered).first().waitFor()
      }
      await scan(card, 'No book out')
      for (const [at, copy] of copies.entries()) await scan(copy, at === 0 ? '1 book out' : `${at + 1} books out`)
      await page.keyboard.press('Escape')
      for (const copy of copies) {
        await page.keyboard.type(`${copy}\n`)
        await page.getByText('Returned:').first().waitFor()
        await desk.quiet()
      }
    })
    await desk.page.close()
  }
}

const ms = (value: number | undefined) => (value === undefined ? '' : String(Math.round(value)))

function rowText({ what, lcp, seen, blank, frame, bytes, note }: Row): string {
  const size = bytes === undefined ? '' : String(Math.round(bytes / 1024))
  const cells = [what, ms(lcp), ms(seen.interaction), ms(seen.task), seen.tasks, ms(blank), ms(frame), size, note ?? '']
  return `| ${cells.join(' | ')} |`
}

/** Appends the goals to the table of goals of all benches. */
function noteGoals(rows: readonly Row[]): void {
  const file = process.env['BENCH_GOALS']
  if (file === undefined) return
  const ours = rows.filter(({ note }) => note !== LIMIT)
  const longest = (pick: (row: Row) => number | undefined) => Math.max(0, ...ours.map((row) => pick(row) ?? 0))
  const lines = [
    [
      'Screens, processor slowed 4x: largest paint, less the preloader',
      longest(({ lcp }) => (lcp ?? 0) - PRELOADER),
      GOALS.lcp,
    ],
    ['Screens: answer to a press or a key, longest', longest(({ seen }) => seen.interaction), GOALS.interaction],
    ['Screens: longest task', longest(({ seen }) => seen.task), GOALS.task],
    ['Screens: longest blank while scrolling', longest(({ blank }) => blank), GOALS.blank],
    ['Screens: a frame while scrolling, p95', longest(({ frame }) => frame), GOALS.frame],
  ] as const
  for (const [what, measured, goal] of lines) {
    const kept = measured <= goal ? 'yes' : '**no**'
    appendFileSync(file, `| ${what} | ${Math.round(measured)} ms | at most ${goal} ms | ${kept} |\n`)
  }
}

/** Measures everything; returns the table as Markdown. */
export async function browserTable(): Promise<string> {
  const origin = needed('BENCH_ORIGIN')
  const browser = await chromium.launch({
    executablePath: browserPath(),
    args: ['--no-sandbox', '--disable-background-networking', '--disable-component-update', '--no-first-run'],
  })
  const contextFor = () => browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en-IN' })
  try {
    const rows: Row[] = []
    const student = new Measuring(origin, await contextFor())
    await student.student(needed('BENCH_STUDENT'), needed('BENCH_PASSWORD'))
    rows.push(...student.rows)
    const phone = await browser.newContext({
      viewport: { width: 360, height: 640 },
      deviceScaleFactor: 2,
      isMobile: true,
      locale: 'en-IN',
      storageState: await student.context.storageState(),
    })
    const inHand = new Measuring(origin, phone)
    await inHand.scroll(PHONE_CARDS)
    await inHand.scrollLimit(PHONE_CARDS)
    rows.push(...inHand.rows)
    const context = await contextFor()
    await context.request.post(`${origin}/library/api/v1/auth/sign-in`, {
      data: { email: needed('BENCH_LIBRARIAN'), password: needed('BENCH_PASSWORD') },
      headers: { Origin: origin },
    })
    await context.addInitScript(() => localStorage.setItem('userRole', 'admin'))
    const librarian = new Measuring(origin, context)
    await librarian.librarian(needed('BENCH_CARD'), needed('BENCH_COPIES').split(','))
    rows.push(...librarian.rows)
    noteGoals(rows)
    return [
      '| What | largest paint ms | longest answer ms | longest task ms | tasks over 100 ms | blank ms | frame p95 ms | KiB | |',
      '|---|---|---|---|---|---|---|---|---|',
      ...rows.map(rowText),
    ].join('\n')
  } finally {
    await browser.close()
  }
}
