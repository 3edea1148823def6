import type { Request } from '@playwright/test'
import { expectAccessible } from './support/accessible'
import { expect, test } from './support/test'
import { chunkOf } from './support/chunks'

/** Records when the screen was ready behind the preloader, and when the preloader began to leave. */
function watchPreloader() {
  const times: { ready?: number; left?: number } = {}
  Object.assign(window, { preloaderTimes: times })
  new MutationObserver(() => {
    const now = performance.now()
    if (document.querySelector('h1')) times.ready ??= now
    const preloader = document.getElementById('preloader')
    if (preloader?.classList.contains('leaving')) times.left ??= now
  }).observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: ['class'] })
}

const timesOf = () => (window as unknown as { preloaderTimes: { ready: number; left: number } }).preloaderTimes

test.describe('the preloader', () => {
  test.use({ preloader: true })

  test('R-SHELL-1 the preloader shows for 1200 ms, and no longer than the screen needs; code and data load behind it', async ({
    page,
  }) => {
    await page.addInitScript(watchPreloader)
    await page.goto('login', { waitUntil: 'commit' })
    await expect(page.getByRole('img', { name: 'Loading My Library' })).toBeVisible()
    // Under reduced motion it is a still picture. Read once: an animation would run now, and would have ended later.
    expect(await page.evaluate(() => document.getAnimations().length)).toBe(0)
    await expect(page.locator('#preloader')).toHaveCount(0)
    // Read once: the preloader has left.
    const { ready, left } = await page.evaluate(timesOf)
    expect(left).toBeGreaterThanOrEqual(1200)
    expect(left).toBeLessThan(Math.max(1200, ready) + 1500)
    // Read once: the screen is there, with its data.
    const firstCalls = await page.evaluate(() =>
      performance
        .getEntriesByType('resource')
        .filter(({ name }) => name.includes('/api/v1/'))
        .map(({ startTime }) => startTime),
    )
    expect(firstCalls.length).toBeGreaterThan(0)
    expect(Math.min(...firstCalls)).toBeLessThan(left)
  })

  test.describe('with a slow answer', () => {
    test.use({ as: 'librarian' })

    test('R-SHELL-1 the preloader stays while there is nothing else to show, and leaves at once afterwards', async ({
      page,
    }) => {
      await page.addInitScript(watchPreloader)
      // The real server answers within milliseconds: its answer is delayed beyond the preloader's time.
      await page.route('**/auth/session', async (route) => {
        await expect.poll(() => page.evaluate(() => performance.now())).toBeGreaterThan(1500)
        await expect(page.locator('#preloader')).toBeVisible()
        await route.continue()
      })
      await page.goto('home')
      await expect(page.locator('#preloader')).toHaveCount(0)
      // Read once: the preloader has left.
      const { ready, left } = await page.evaluate(timesOf)
      expect(ready).toBeGreaterThan(1500)
      expect(left, 'nothing is taken away before something is there').toBeGreaterThanOrEqual(ready)
      // The preloader's duration does not begin again; the bound leaves room for a loaded machine.
      expect(left).toBeLessThan(ready + 1200)
    })
  })
})

test.describe('errors of routing', () => {
  test('R-SHELL-2 an unknown address is the error screen with 404 Not Found and a way on', async ({ page, watch }) => {
    watch.refuses(404)
    const answer = await page.goto('nowhere')
    expect(answer?.status()).toBe(404)
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Unexpected Application Error!')
    await expect(page.getByRole('alert')).toHaveText('404 Not Found')
    await watch.logged(/console: 404 Not Found/)
    await page.getByRole('link', { name: 'Go to sign in' }).click()
    await expect(page).toHaveURL(/\/login$/)
  })

  test.describe('for somebody who is signed in', () => {
    test.use({ as: 'librarian' })

    test('R-SHELL-2 an unknown address leads back to the own home', async ({ page, watch }) => {
      watch.refuses(404)
      await page.goto('book-detail/1/more')
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('Unexpected Application Error!')
      await watch.logged(/console: 404 Not Found/)
      await page.getByRole('link', { name: 'Go to your home page' }).click()
      await expect(page.getByRole('heading', { level: 1, name: 'Books' })).toBeVisible()
    })
  })
})

test.describe('chunks', () => {
  test.use({ as: 'librarian' })
  // The retry uses another address.
  const home = chunkOf('features/books/lists/AdminHomeScreen.tsx')

  test('R-SHELL-3 every script comes from static/js below the base path, and screens have their own', async ({
    page,
  }) => {
    const scripts: string[] = []
    page.on('response', (response) => {
      if (response.request().resourceType() === 'script') scripts.push(new URL(response.url()).pathname)
    })
    await page.goto('home')
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    const start = '/library/start.js'
    expect(scripts.filter((path) => path !== start && !path.startsWith('/library/static/js/'))).toEqual([])
    expect(scripts.some((path) => home.test(path))).toBe(true)
    expect(scripts.some((path) => chunkOf('features/books/lists/StudentHomeScreen.tsx').test(path))).toBe(false)
  })

  test('R-SHELL-3 a chunk that is missing, breaks off or throws says which one and why, and Reload brings it', async ({
    page,
    watch,
  }) => {
    watch.refuses(404)
    watch.excuse(/ERR_CONNECTION_RESET/)
    // A real server has all chunks that its page names, unless it was updated since.
    await page.route(home, (route) => route.fulfill({ status: 404, body: 'Not found' }))
    await page.goto('home')
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Unexpected Application Error!')
    await expect(page.getByRole('alert')).toHaveText('Loading chunk home failed. (missing)')
    await watch.logged(/Loading chunk home failed. \(missing\)/)
    await expectAccessible(page, 'a missing chunk')
    await page.unroute(home)

    // A dropped connection, which a working server does not cause.
    await page.route(home, (route) => route.abort('connectionreset'))
    await page.reload()
    await expect(page.getByRole('alert')).toHaveText('Loading chunk home failed. (missing)')
    await page.unroute(home)

    // A faulty chunk, which the tested build does not contain.
    await page.route(home, (route) =>
      route.fulfill({ contentType: 'text/javascript', body: 'throw new RangeError("out of shelves")' }),
    )
    await page.reload()
    await expect(page.getByRole('alert')).toHaveText('Loading chunk home failed. (RangeError)')
    await watch.logged(/Loading chunk home failed. \(RangeError\)/)
    await page.unroute(home)
    await page.getByRole('button', { name: 'Reload' }).click()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Books')
  })

  test('R-SHELL-3 a chunk that hangs is given up after 120 000 ms, and not before', async ({ page, watch }) => {
    let asked = 0
    // A connection that never answers; the page's clock is advanced by hand.
    await page.route(home, () => void (asked += 1))
    // Pending calls would time out too when the clock is advanced.
    const calls = new Set<Request>()
    page.on('request', (request) => void (request.url().includes('/api/') && calls.add(request)))
    page.on('requestfinished', (request) => void calls.delete(request))
    await page.clock.install()
    await page.goto('home', { waitUntil: 'commit' })
    await expect.poll(() => [asked, calls.size]).toEqual([1, 0])
    await page.clock.runFor(118_000)
    await expect(page.getByRole('alert')).toHaveCount(0)
    await page.clock.runFor(3000)
    await expect(page.getByRole('alert')).toHaveText('Loading chunk home failed. (timeout)')
    await expect(page.getByRole('button', { name: 'Reload' })).toBeVisible()
    await watch.logged(/Loading chunk home failed/)
  })
})

test.describe('web vitals', () => {
  // The preloader is painted first.
  test.use({ preloader: true, shelf: 'fresh' })

  test('R-SHELL-4 the module is loaded after the first paint, and its figures reach the metrics of the server', async ({
    page,
    library,
  }) => {
    await page.goto('login')
    const times = () =>
      page.evaluate(
        (address) => ({
          paint: performance.getEntriesByName('first-contentful-paint')[0]?.startTime,
          vitals: performance.getEntriesByType('resource').find(({ name }) => new RegExp(address).test(name))
            ?.startTime,
        }),
        chunkOf('app/vitals.ts').source,
      )
    await expect.poll(async () => (await times()).vitals).toBeGreaterThan(0)
    const { paint, vitals } = await times()
    expect(paint).toBeGreaterThan(0)
    expect(vitals).toBeGreaterThan(paint ?? Infinity)

    const metrics = async () => (await fetch(library.metrics)).text()
    expect(await metrics()).not.toContain('library_web_vital')
    await page.goto('register')
    await expect.poll(metrics).toMatch(/library_web_vital.*name="TTFB"/)
    await expect.poll(metrics).toMatch(/library_web_vital.*name="FCP"/)
  })
})

test.describe('with everything in the cache', () => {
  test.use({ as: 'demo student', preloader: true })

  for (const { loads, tag } of [
    { loads: 6, tag: [] },
    { loads: 24, tag: ['@nightly'] },
  ]) {
    test(
      `R-SHELL-5 one screen loaded after the other is there each time, ${loads} times`,
      { tag },
      async ({ page }) => {
        for (let load = 0; load < loads; load++) {
          await page.goto(load % 2 ? 'profile' : 'student-home')
          await expect(page.locator('main'), `load ${load}`).toBeVisible()
        }
      },
    )
  }
})

test.describe('the frame', () => {
  test.use({ as: 'librarian' })

  test('by keyboard: the first Tab leads to the content, ? shows the help, Esc closes it, and in a field ? is a question mark', async ({
    page,
  }) => {
    await page.goto('home')
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await page.keyboard.press('Tab')
    const skip = page.getByRole('link', { name: 'Skip to content' })
    await expect(skip).toBeFocused()
    await expect(skip).toBeInViewport()
    await page.keyboard.press('Enter')
    await expect(page.locator('#main')).toBeFocused()

    await page.keyboard.press('?')
    const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await expect(help).toContainText('Go to the search box')
    await page.keyboard.press('Escape')
    await expect(help).toHaveCount(0)
    await page.getByRole('searchbox').pressSequentially('who?')
    await expect(page.getByRole('searchbox')).toHaveValue('who?')
    await expect(page.getByRole('dialog')).toHaveCount(0)
    await page.getByRole('button', { name: /^Account of/ }).click()
    await page.getByRole('menuitem', { name: 'Keyboard shortcuts' }).click()
    await expect(help).toBeVisible()
  })

  test('W21 colours follow the system, can be chosen, are kept over a reload, and follow the system again', async ({
    page,
  }) => {
    const scheme = page.locator('html')
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.goto('home')
    await expect(scheme).toHaveAttribute('data-mantine-color-scheme', 'dark')
    const choose = async (colours: string) => {
      await page.getByRole('button', { name: /^Account of/ }).click()
      await page.getByRole('menuitemradio', { name: colours }).click()
    }
    await choose('Light')
    await expect(scheme).toHaveAttribute('data-mantine-color-scheme', 'light')
    await page.reload()
    await expect(scheme).toHaveAttribute('data-mantine-color-scheme', 'light')
    await choose('Same as the system')
    await expect(scheme).toHaveAttribute('data-mantine-color-scheme', 'dark')
  })
})

test.describe('browsers', () => {
  const sorry = 'This browser is too old for My Library'

  test('W14 a current browser shows no warning; one without URL.canParse or AbortSignal.any shows that it is too old', async ({
    page: today,
    context,
  }) => {
    await today.goto('login')
    await expect(today.getByRole('button', { name: 'Sign In', exact: true })).toBeVisible()
    await expect(today.getByText(sorry)).toHaveCount(0)
    for (const lacking of ['URL.canParse', 'AbortSignal.any'] as const) {
      const page = await context.newPage()
      await page.addInitScript((name) => {
        const [owner, member] = name === 'URL.canParse' ? [URL, 'canParse'] : [AbortSignal, 'any']
        Reflect.deleteProperty(owner, member)
      }, lacking)
      await page.goto('login')
      await expect(page.getByRole('alert').filter({ hasText: sorry })).toBeVisible()
      // The working parts can still be used.
      await expect(page.getByRole('button', { name: 'Sign In', exact: true })).toBeVisible()
    }
  })
})
