import type { Page, Route } from '@playwright/test'

/** Source of numbers that a seed repeats. */
export class Chance {
  #state: number

  constructor(seed: number | string) {
    this.#state = hashOf(String(seed))
  }

  /** Returns a number from 0 up to, and not including, 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  isHit = (share: number): boolean => this.next() < share
  upTo = (limit: number): number => Math.floor(this.next() * limit)
  pick = <T>(list: readonly [T, ...T[]]): T => list[this.upTo(list.length)] ?? list[0]

  shuffled<T>(list: readonly T[]): T[] {
    return list
      .map((one) => [this.next(), one] as const)
      .toSorted(([a], [b]) => a - b)
      .map(([, one]) => one)
  }
}

const hashOf = (text: string): number =>
  Array.from(text).reduce((hash, letter) => Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 16_777_619), 2_166_136_261)

const FAULTS = ['cut', 'lost', 'late', 'slow', 'twice', 'again', 'failed', 'failed after'] as const
type Fault = (typeof FAULTS)[number]

/** The page waits a fifth as long as in the library, up to this long: a round is over sooner. */
const QUICKENED_MS = 5000
const QUICKER = 5
/** Longer than the desk's first time-out of five seconds, which is one here. */
const LATE_MS = 1300

/** Shortens the page's time-outs and pauses. */
export async function quicken(page: Page): Promise<void> {
  await page.addInitScript(
    ([longest, quicker]) => {
      const wait = window.setTimeout.bind(window)
      const quick = (run: TimerHandler, ms = 0, ...rest: unknown[]) =>
        wait(run, ms >= 1000 && ms <= longest ? ms / quicker : ms, ...rest)
      Object.assign(window, { setTimeout: quick })
    },
    [QUICKENED_MS, QUICKER] as const,
  )
}

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/** Headers that belong to one connection. */
const OF_CONNECTION = new Set(['connection', 'content-length', 'host', 'accept-encoding'])

/**
 * A bad line between the page and the server. What happens to a request depends on the seed, the code or address it
 * is about, and how often that was sent, so a seed repeats its faults.
 */
export class Line {
  readonly #seed: number
  readonly #rate: number
  /** Share of the tasks that fail each time, until the line is calm. */
  readonly #stubborn: number
  readonly #sent = new Map<string, number>()
  readonly #underWay = new Set<Promise<unknown>>()
  readonly log: string[] = []
  isCalm = false

  constructor(seed: number, rate: number, stubborn: number) {
    this.#seed = seed
    this.#rate = rate
    this.#stubborn = stubborn
  }

  async disturb(page: Page): Promise<void> {
    await page.route(
      /\/api\/v1\/(desk\/scans|people\/\d+\/payments|charges\/\d+\/waive|changes\/\d+\/undo)$/,
      (route) => this.#pass(route).catch(() => undefined),
    )
  }

  /** Waits for requests that reach the server after the page has given them up. */
  async settled(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay)
  }

  #faultOf(about: string): Fault | null {
    const times = (this.#sent.get(about) ?? 0) + 1
    this.#sent.set(about, times)
    if (this.isCalm) return null
    const nature = new Chance(`${this.#seed} ${about}`)
    if (nature.isHit(this.#stubborn)) return nature.isHit(0.5) ? 'failed' : 'failed after'
    const chance = new Chance(`${this.#seed} ${about} ${times}`)
    return chance.isHit(this.#rate) ? chance.pick(FAULTS) : null
  }

  async #pass(route: Route): Promise<void> {
    const about = aboutOf(route)
    const fault = this.#faultOf(about)
    if (fault === null) return route.continue()
    this.log.push(`${about}: ${fault}`)
    const send = await this.#sender(route)
    switch (fault) {
      case 'cut':
        return route.abort()
      case 'lost':
        await send()
        return route.abort()
      case 'late':
        await sleep(LATE_MS)
        return route.fulfill(await send())
      case 'slow':
        await sleep(400)
        return route.fulfill(await send())
      case 'twice': {
        const [first] = await Promise.all([send(), send()])
        return route.fulfill(first)
      }
      case 'again':
        await route.fulfill(await send())
        await sleep(LATE_MS)
        return void (await send())
      case 'failed':
        return route.fulfill({ status: 503 })
      case 'failed after':
        await send()
        return route.fulfill({ status: 500 })
    }
  }

  /** Returns a function that sends the request to the server, whatever the page does meanwhile. */
  async #sender(route: Route) {
    const request = route.request()
    const headers = Object.entries(await request.allHeaders()).filter(
      ([name]) => !name.startsWith(':') && !OF_CONNECTION.has(name),
    )
    const body = request.postData()
    return () => {
      const answer = fetch(request.url(), {
        method: request.method(),
        headers: Object.fromEntries(headers),
        ...(body !== null && { body }),
      }).then(async (response) => ({
        status: response.status,
        headers: Object.fromEntries([...response.headers].filter(([name]) => name !== 'content-encoding')),
        body: await response.text(),
      }))
      this.#underWay.add(answer)
      const end = () => this.#underWay.delete(answer)
      void answer.then(end, end)
      return answer
    }
  }
}

function aboutOf(route: Route): string {
  const { code } = (route.request().postDataJSON() ?? {}) as { code?: string }
  return code ?? new URL(route.request().url()).pathname.replace(/^.*\/v1/, '')
}

/** Press of a button on an answer: its text, and the headline of the answer. */
type Press = { button: string; headline: string }

/** What the screen said, and which buttons of its answers were pressed. */
export class Screen {
  /** Texts of answers in the order of their first appearance. */
  readonly said: string[] = []
  readonly presses: Press[] = []

  async attach(page: Page): Promise<void> {
    await page.exposeFunction('chaosSaid', (text: string) => void this.said.push(text))
    await page.exposeFunction('chaosPressed', (press: Press) => void this.presses.push(press))
    await page.addInitScript(() => {
      const { chaosSaid, chaosPressed } = window as unknown as {
        chaosSaid: (text: string) => void
        chaosPressed: (press: { button: string; headline: string }) => void
      }
      const seen = new Set<string>()
      function look() {
        for (const { textContent: text } of document.querySelectorAll(
          'article h2, [aria-labelledby="earlier"] li span[dir]',
        )) {
          if (!text || seen.has(text)) continue
          seen.add(text)
          chaosSaid(text)
        }
      }
      new MutationObserver(look).observe(document, { childList: true, characterData: true, subtree: true })
      addEventListener(
        'click',
        ({ target }) => {
          if (!(target instanceof Element)) return
          const button = target.closest('article button')
          const headline = button?.closest('article')?.querySelector('h2')?.textContent
          // A second press of the same button is the same act.
          if (!button || !headline || button.getAttribute('aria-busy') === 'true') return
          chaosPressed({ button: button.textContent ?? '', headline })
        },
        true,
      )
    })
  }

  /** Returns the parts of the texts that match. */
  all(pattern: RegExp): string[][] {
    return this.said.flatMap((text) => {
      const found = pattern.exec(text)
      return found ? [found.slice(1)] : []
    })
  }
}

/** Returns the tasks that this browser has not settled, by name. */
export const unsettled = (page: Page): Promise<string[]> =>
  page.evaluate(
    () =>
      new Promise<string[]>((resolve) => {
        const opened = indexedDB.open('library-outbox')
        opened.addEventListener('success', () => {
          const database = opened.result
          const all = database.transaction('rows').objectStore('rows').getAll()
          all.addEventListener('success', () => {
            database.close()
            const rows = all.result as { id: string[]; value: { label?: string } }[]
            resolve(rows.filter(({ id }) => id[3] === 'task').map(({ value }) => value.label ?? ''))
          })
        })
      }),
  )
