import type { CDPSession, Page } from '@playwright/test'

/** Figures that a page records about itself until it is reloaded. */
type Watched = {
  lcp: number
  /** Time at which the preloader of index.html began to leave, in milliseconds since the navigation. */
  shown: number
  interactions: Map<number, number>
  tasks: number[]
}

declare global {
  var watched: Watched
}

/** Longest interaction and longest task in milliseconds, and number of tasks over 100 ms, since the last look. */
export type Seen = { interaction: number; task: number; tasks: number }

/** Records the figures. Runs in the page before its own scripts. */
function startWatching(): void {
  const now: Watched = { lcp: 0, shown: 0, interactions: new Map(), tasks: [] }
  globalThis.watched = now
  const observe = (type: string, take: (entry: PerformanceEntry) => void, options: object = {}) =>
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) take(entry)
    }).observe({ type, buffered: true, ...options })
  observe('largest-contentful-paint', ({ startTime }) => {
    now.lcp = startTime
  })
  observe('longtask', ({ duration }) => now.tasks.push(duration))
  observe(
    'event',
    (entry) => {
      const { interactionId, duration } = entry as PerformanceEventTiming
      if (interactionId) {
        now.interactions.set(interactionId, Math.max(duration, now.interactions.get(interactionId) ?? 0))
      }
    },
    { durationThreshold: 16 },
  )
  document.addEventListener('DOMContentLoaded', () => {
    const preloader = document.getElementById('preloader')
    if (!preloader) return
    new MutationObserver(() => {
      if (now.shown === 0 && preloader.classList.contains('leaving')) now.shown = performance.now()
    }).observe(preloader, { attributes: true })
  })
}

/** Page that records its figures, in a browser with a slowed processor. */
export class WatchedPage {
  readonly page: Page
  readonly devtools: CDPSession
  bytes = 0
  /** Pending requests, without the bell's stream, which stays open. */
  readonly #open = new Set<string>()
  #lastChange = Date.now()

  private constructor(page: Page, devtools: CDPSession) {
    this.page = page
    this.devtools = devtools
  }

  static async start(page: Page, slower: number): Promise<WatchedPage> {
    const devtools = await page.context().newCDPSession(page)
    const watched = new WatchedPage(page, devtools)
    await devtools.send('Network.enable')
    devtools.on('Network.requestWillBeSent', ({ requestId, request }) => {
      if (!request.url.endsWith('/me/notices/unread')) watched.#turn(() => watched.#open.add(requestId))
    })
    devtools.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
      watched.bytes += encodedDataLength
      watched.#turn(() => watched.#open.delete(requestId))
    })
    devtools.on('Network.loadingFailed', ({ requestId }) => {
      watched.#turn(() => watched.#open.delete(requestId))
    })
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: slower })
    await page.addInitScript(startWatching)
    return watched
  }

  #turn(change: () => unknown): void {
    change()
    this.#lastChange = Date.now()
  }

  /** Waits until no request has begun or ended for half a second, or for two seconds while a request is pending. */
  async quiet(): Promise<void> {
    const pause = () => (this.#open.size > 0 ? 2000 : 500)
    while (Date.now() - this.#lastChange < pause()) await this.page.waitForTimeout(50)
  }

  /** Returns the figures since the last look, and resets them. Tasks are recorded from 50 ms. */
  async look(): Promise<Seen> {
    // Observers receive outstanding entries within a few frames.
    await this.page.waitForTimeout(300)
    return this.page.evaluate(() => {
      const { interactions, tasks } = globalThis.watched
      const seen = {
        interaction: Math.max(0, ...interactions.values()),
        task: Math.max(0, ...tasks),
        tasks: tasks.filter((task) => task > 100).length,
      }
      interactions.clear()
      tasks.length = 0
      return seen
    })
  }

  /** Returns the times of the largest contentful paint and of the preloader's end, since the navigation. */
  paints = (): Promise<{ lcp: number; shown: number }> =>
    this.page.evaluate(() => ({ lcp: globalThis.watched.lcp, shown: globalThis.watched.shown }))
}

/** Milliseconds while scrolling: longest blank in the list, longest time with outlines of cards, each frame. */
export type Scrolled = { blank: number; outlines: number; frames: number[] }

/** Checks in each frame whether cards cover the window, before React handles the scrolling. Runs in the page. */
export function startLooking(): void {
  const frames: number[] = []
  const found = { blank: 0, outlines: 0, blankSince: 0, outlinesSince: 0, last: performance.now(), frames }
  Object.assign(globalThis, { scrolled: found })
  const frame = (): void => {
    const now = performance.now()
    const rows = [...document.querySelectorAll('[role=list] > [role=presentation]')]
    const boxes = rows.map((row) => row.getBoundingClientRect())
    const list = rows[0]?.parentElement?.getBoundingClientRect()
    // Part of the list inside the window.
    const top = Math.max(0, list?.top ?? 0)
    const bottom = Math.min(window.innerHeight, list?.bottom ?? 0)
    const covered = boxes.some((box) => box.top <= top + 1) && boxes.some((box) => box.bottom >= bottom - 1)
    // The blank may have begun right after the previous frame.
    if (covered) found.blankSince = 0
    else {
      found.blankSince ||= found.last
      found.blank = Math.max(found.blank, now - found.blankSince)
    }
    const outlined = rows.some((row, at) => {
      const box = boxes[at]
      return box && box.bottom > top && box.top < bottom && row.querySelector('[aria-hidden=true][data-layout]')
    })
    if (!outlined) found.outlinesSince = 0
    else {
      found.outlinesSince ||= found.last
      found.outlines = Math.max(found.outlines, now - found.outlinesSince)
    }
    frames.push(now - found.last)
    found.last = now
    requestAnimationFrame(frame)
  }
  requestAnimationFrame(frame)
}
