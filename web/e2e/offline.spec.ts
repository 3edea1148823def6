import { createServer, request as send, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from '@playwright/test'
import { expect, present, test } from './support/test'
import type { Library } from './support/library'

// The service worker: a student's screens without a network.

test.use({ serviceWorkers: 'allow' })

/** What the console says of a network that is cut. */
const CUT = /ERR_INTERNET_DISCONNECTED|ERR_FAILED|Failed to fetch|could not be|cannot be reached|Loading chunk/

/** Addresses of what the worker keeps of the person. */
const keptCalls = (page: Page): Promise<string[]> =>
  page.evaluate(async () => {
    if (!(await caches.keys()).includes('person')) return []
    return (await (await caches.open('person')).keys()).map(({ url }) => new URL(url).pathname).toSorted()
  })

/** Waits until the worker has everything that the student needs. */
const allKept = (page: Page) =>
  expect
    .poll(() => keptCalls(page))
    .toEqual(
      expect.arrayContaining(
        ['auth/session', 'config', 'me', 'me/loans', 'me/notices'].map((call) => `/library/api/v1/${call}`),
      ),
    )

/** Waits until the worker answers the page's requests. */
const controlled = (page: Page) =>
  expect.poll(() => page.evaluate(() => navigator.serviceWorker.controller !== null)).toBe(true)

test.describe('a student', () => {
  test.use({ as: 'student' })

  test('opens own loans, notices and the card without a network, with their time, and learns what needs it', async ({
    page,
    library,
    watch,
    who,
  }) => {
    watch.excuse(CUT)
    const book = await library.addBook()
    await present(who).borrow(book.id)
    const charge = { amount: 20, kind: 'other', reason: 'A new card' }
    await (await library.desk()).ask('POST', `/people/${present(who).user.uid}/charges`, charge)
    await page.goto('student-home')
    await expect(page.getByRole('article').first()).toBeVisible()
    await allKept(page)
    await page.context().setOffline(true)

    const begun = Date.now()
    await page.goto('profile')
    await expect(page.getByText(book.title).first()).toBeVisible()
    // Read once: the duration of a start that is over.
    expect(Date.now() - begun).toBeLessThan(3000)
    const band = page.getByRole('status').filter({ hasText: 'No connection. This is how it was at' })
    await expect(band).toBeVisible()
    await page.getByRole('button', { name: 'My ID card' }).click()
    await expect(page.getByRole('dialog')).toContainText(present(who).user.rollNumber ?? '')
    await page.keyboard.press('Escape')

    await expect(page.getByText('Your reservations need a connection')).toBeVisible()
    const extend = page.getByRole('button', { name: `Extend 7 Days: ${book.title}` })
    await expect(extend).toBeDisabled()
    await expect(extend).toHaveAccessibleDescription('These buttons work again once you are online.')

    await page.goto('student-home')
    const books = page.getByRole('region', { name: 'Books' })
    await expect(books).toContainText('The catalogue needs a connection and comes back by itself once you are online.')
    await page.getByRole('button', { name: /^Show slide 3/ }).click()
    await expect(page.getByRole('button', { name: `Extend: ${book.title}` })).toBeDisabled()
    // The page was opened without a network, so it has not seen the network end.
    await page.context().setOffline(false)
    await expect(books.getByRole('article').first()).toBeVisible()
    await page.context().setOffline(true)

    await page.goto('notices')
    await expect(page.getByRole('listitem').filter({ hasText: '₹20 was charged: A new card' })).toBeVisible()
    await page.goto(`stubook-detail/${book.id}`)
    await expect(page.getByText('The library cannot be reached.').first()).toBeVisible()
    await expect(page.getByRole('button', { name: 'Try again' }).nth(1)).toBeVisible()
    await page.goto('security')
    await expect(page.getByRole('heading', { level: 1, name: 'This page needs the network' })).toBeVisible()
    await expect(page.getByRole('main').getByRole('button', { name: 'Try again' }).last()).toBeVisible()
    await expect(page.getByRole('link', { name: 'Profile' }).first()).toBeVisible()

    await page.goto('student-home')
    await expect(band).toBeVisible()
    // A search hides the loans, whose cached answer causes the band.
    await page.getByRole('searchbox').fill(book.title)
    await expect(page).toHaveURL(/q=/)
    await page.context().setOffline(false)
    // The worker's network comes back a moment after the page's; then the page asks again in ten seconds.
    await expect(band).toHaveCount(0, { timeout: 15_000 })
    await expect(books.getByRole('article').first()).toBeVisible()
  })

  test('leaves nothing of the person behind after sign-out', async ({ page, watch }) => {
    watch.excuse(CUT)
    await page.goto('profile')
    await allKept(page)
    await page.getByRole('button', { name: 'Logout' }).click()
    await expect(page).toHaveURL(/\/login$/)
    await expect.poll(() => keptCalls(page)).toEqual([])
    await page.context().setOffline(true)
    await page.goto('profile')
    await expect(page.getByRole('heading', { level: 1, name: 'This page needs the network' })).toBeVisible()
    await expect(page.getByText('The library cannot be reached.')).toBeVisible()
  })

  test('a session that ended elsewhere takes the kept answers with it', async ({ page, watch, who }) => {
    watch.refuses(401)
    await page.goto('profile')
    await allKept(page)
    await present(who).ask('POST', '/auth/sign-out')
    await page.reload()
    await expect(page).toHaveURL(/\/login/)
    await expect.poll(() => keptCalls(page)).toEqual([])
  })
})

test.describe('a librarian', () => {
  test.use({ as: 'librarian' })

  test('has the frame of the product without a network, and no answer is kept', async ({ page, watch }) => {
    watch.excuse(CUT)
    await page.goto('people')
    await expect(page.getByRole('heading', { level: 1, name: 'People' })).toBeVisible()
    await controlled(page)
    await page.reload()
    await expect(page.getByRole('heading', { level: 1, name: 'People' })).toBeVisible()
    await expect.poll(() => keptCalls(page)).toEqual([])
    await page.context().setOffline(true)
    await page.goto('people')
    await expect(page.getByRole('heading', { level: 1, name: 'This page needs the network' })).toBeVisible()
    await expect(page.getByRole('button', { name: 'Try again' })).toBeVisible()
  })
})

/** The library behind an address of its own, whose build can be replaced. */
class Updated {
  readonly #server: Server
  build = 'one'

  constructor(library: Library) {
    const { host, hostname, port } = new URL(library.origin)
    this.#server = createServer((asked, answer) => {
      const headers = { ...asked.headers, host, 'accept-encoding': 'identity' }
      const passed = send({ hostname, port, path: asked.url, method: asked.method, headers }, (given) => {
        const parts: Buffer[] = []
        given.on('data', (part: Buffer) => parts.push(part))
        given.on('end', () => {
          const { 'content-length': _length, etag: _tag, ...rest } = given.headers
          let body: Buffer | string = Buffer.concat(parts)
          if (asked.url?.endsWith('/worker.js')) body = body.toString().replace('id:`', `id:\`${this.build}-`)
          else if (String(rest['content-type']).startsWith('text/html')) {
            body = body.toString().replace('<head>', `<head><meta name="build" content="${this.build}" />`)
          }
          answer.writeHead(given.statusCode ?? 502, rest).end(body)
        })
      })
      passed.on('error', () => answer.destroy())
      asked.pipe(passed)
    })
  }

  async open(): Promise<string> {
    await new Promise<void>((resolve) => {
      this.#server.listen(0, '127.0.0.1', resolve)
    })
    return `http://localhost:${(this.#server.address() as AddressInfo).port}/library/`
  }

  close(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }
}

test('an updated library is shown at the next visit, and without a network as well', async ({
  page,
  library,
  watch,
}) => {
  watch.excuse(CUT, /foreign host/)
  const updated = new Updated(library)
  const base = await updated.open()
  const buildOf = () => page.locator('meta[name=build]').getAttribute('content')
  const files = () => page.evaluate(async () => (await caches.keys()).filter((name) => name.startsWith('files-')))
  try {
    await page.goto(`${base}new-home`)
    await expect.poll(files).toEqual([expect.stringMatching(/^files-one-/)])
    await controlled(page)

    updated.build = 'two'
    await page.goto(`${base}new-home`)
    await expect.poll(buildOf).toBe('two')
    await expect.poll(files, { timeout: 15_000 }).toEqual([expect.stringMatching(/^files-two-/)])

    await page.context().setOffline(true)
    await page.goto(`${base}new-home`)
    await expect.poll(buildOf).toBe('two')
  } finally {
    updated.close()
  }
})
