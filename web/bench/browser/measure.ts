/**
 * The screens in a browser whose processor is slowed down, with a large library behind them: how soon they are painted, how
 * long a press or a key waits for its answer, the longest tasks, and whether anything is blank while somebody scrolls.
 */
import { appendFileSync } from 'node:fs'
import { chromium, type BrowserContext, type Page } from '@playwright/test'
import { browserPath } from '../../e2e/support/needs'
import { startLooking, WatchedPage, type Scrolled, type Seen } from './watch'

const needed = (name: string): string => {
  const value = process.env[name]
  if (value === undefined) throw new Error(`${name} is not set: start this with the example bench-browser`)
  return value
}

const CARDS = Number(process.env['BENCH_CARDS'] ?? 10_000)
const SLOWER = Number(process.env['BENCH_SLOWER'] ?? 4)
/** Pixels a second: a strong flick on a touchpad. */
const SPEED = 8000
const GESTURE = 5000

type Row = { what: string; bytes?: number; lcp?: number; seen: Seen; blank?: number; note?: string }

/** How long the preloader of index.html stands at least, in milliseconds (src/app/preloader.ts). */
const PRELOADER = 1200

/** Milliseconds that are asked for. */
const GOALS = { lcp: 1500, interaction: 100, task: 100, blank: 100 }

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

  /** A screen from its address, nothing of it in the cache. */
  async #load(what: string, path: string, ready: (page: Page) => Promise<unknown>): Promise<WatchedPage> {
    const watched = await this.#open()
    await watched.devtools.send('Network.clearBrowserCache')
    await watched.page.goto(`${this.origin}/library/${path}`)
    await ready(watched.page)
    await watched.page.waitForFunction(() => document.getElementById('preloader') === null)
    await watched.page.waitForLoadState('networkidle')
    const seen = await watched.look()
    const { lcp, shown } = await watched.paints()
    this.rows.push({ what, lcp, bytes: watched.bytes, seen, note: `preloader away after ${Math.round(shown)} ms` })
    return watched
  }

  async #step(what: string, watched: WatchedPage, act: (page: Page) => Promise<unknown>): Promise<void> {
    const before = watched.bytes
    await act(watched.page)
    await watched.page.waitForLoadState('networkidle')
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

    const list = await this.#load('home again, to scroll', 'student-home', cards)
    this.rows.pop()
    await this.#scroll(list)
    await list.page.close()
  }

  /** Down the list in strong flicks. */
  async #scroll(watched: WatchedPage): Promise<void> {
    const { page, devtools } = watched
    const before = watched.bytes
    await page.evaluate(startLooking)
    const begun = Date.now()
    const last = () =>
      page.evaluate(() => {
        const cards = [...document.querySelectorAll('[role=listitem]:has(article)')]
        return Number(cards.at(-1)?.getAttribute('aria-posinset') ?? 0)
      })
    while ((await last()) < CARDS) {
      await devtools.send('Input.synthesizeScrollGesture', {
        x: 700,
        y: 450,
        yDistance: -GESTURE,
        speed: SPEED,
        gestureSourceType: 'mouse',
      })
    }
    const seconds = (Date.now() - begun) / 1000
    const found = await page.evaluate<Scrolled>('scrolled')
    this.rows.push({
      what: `scrolling ${CARDS} cards`,
      bytes: watched.bytes - before,
      seen: await watched.look(),
      blank: found.blank,
      note: `${Math.round(seconds)} s; outlines of cards for ${Math.round(found.outlines)} ms at the most`,
    })
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
        await page.waitForLoadState('networkidle')
      }
    })
    await desk.page.close()
  }
}

const ms = (value: number | undefined) => (value === undefined ? '' : String(Math.round(value)))

function rowText({ what, lcp, seen, blank, bytes, note }: Row): string {
  const size = bytes === undefined ? '' : String(Math.round(bytes / 1024))
  const cells = [what, ms(lcp), ms(seen.interaction), ms(seen.task), seen.tasks, ms(blank), size, note ?? '']
  return `| ${cells.join(' | ')} |`
}

/** Appends the goals to the file that collects those of all benches. */
function noteGoals(rows: readonly Row[]): void {
  const file = process.env['BENCH_GOALS']
  if (file === undefined) return
  const longest = (pick: (row: Row) => number | undefined) => Math.max(0, ...rows.map((row) => pick(row) ?? 0))
  const lines = [
    [
      'Screens, processor slowed 4x: largest paint, less the preloader',
      longest(({ lcp }) => (lcp ?? 0) - PRELOADER),
      GOALS.lcp,
    ],
    ['Screens: answer to a press or a key, longest', longest(({ seen }) => seen.interaction), GOALS.interaction],
    ['Screens: longest task', longest(({ seen }) => seen.task), GOALS.task],
    ['Screens: nothing to see while scrolling, longest', longest(({ blank }) => blank), GOALS.blank],
  ] as const
  for (const [what, measured, goal] of lines) {
    const kept = measured <= goal ? 'yes' : '**no**'
    appendFileSync(file, `| ${what} | ${Math.round(measured)} ms | at most ${goal} ms | ${kept} |\n`)
  }
}

/** Measures everything; the table as Markdown. */
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
      '| What | largest paint ms | longest answer ms | longest task ms | tasks over 100 ms | blank ms | KiB | |',
      '|---|---|---|---|---|---|---|---|',
      ...rows.map(rowText),
    ].join('\n')
  } finally {
    await browser.close()
  }
}
