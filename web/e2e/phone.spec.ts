import { chromium, type BrowserContext, type Page } from '@playwright/test'
import type { Card } from '../bench/scanner/cards'
import { qrCode } from '../src/print/symbol'
import { expectAccessible, expectNoSidewaysScroll } from './support/accessible'
import { chunkOf } from './support/chunks'
import { filmFile } from './support/drawings'
import type { Library, Person } from './support/library'
import { FAKE_CAMERA, HOST } from './support/scanner'
import { expect, prepare, present, test as base } from './support/test'

const CARD: Card = { symbology: 'Code128', text: 'PH26-901' }
const COPY: Card = { symbology: 'Code128', text: 'FILM-0001' }
/** Empty frames: enough for the next showing to count as new. */
const GONE = 75

type Fixtures = {
  /** A separate browser, started with these flags; a phone unless a person is given. */
  browserWith: (flags: readonly string[], person?: Person) => Promise<BrowserContext>
}

const test = base.extend<Fixtures>({
  browserWith: async ({ launchOptions, contextOptions, library, watch, preloader }, provide) => {
    const open: (() => Promise<void>)[] = []
    await provide(async (flags, person) => {
      const own = await chromium.launch({ ...launchOptions, args: [...(launchOptions.args ?? []), ...flags] })
      open.push(() => own.close())
      const context = await own.newContext({
        ...contextOptions,
        viewport: person ? { width: 1440, height: 900 } : { width: 390, height: 844 },
        baseURL: library.url,
        permissions: ['camera'],
        ...(person && { storageState: person.storageState() }),
      })
      await prepare(context, watch, preloader)
      return context
    })
    for (const close of open) await close()
  },
})

// The card and the copy in the film belong to one library; a retry gets another one.
test.use({ as: 'librarian', shelf: 'fresh' })
test.setTimeout(120_000)

const filming = () => [...FAKE_CAMERA, `--use-file-for-fake-video-capture=${filmFile([CARD, COPY], 3, GONE)}`]

/** Creates the owner of the card and the book in the film. */
async function scene(library: Library, librarian: Person) {
  const book = await library.addBook({ noOfBooks: 1 })
  await librarian.ask('POST', `/books/${book.id}/copies`, { barcodes: [COPY.text] })
  const reader = await library.student({ name: 'Asha Kulkarni', rollNumber: CARD.text.toLowerCase() })
  return { book, reader }
}

const phones = (page: Page) => page.getByRole('button', { name: /^(Phone|\d+ phones? connected)$/ })
const pairing = (page: Page) => page.getByRole('dialog', { name: 'A phone as scanner' })

/** Returns the pairing code shown at the desk. */
async function codeOf(page: Page): Promise<string> {
  await page.goto('desk')
  await phones(page).click()
  const answer = page.waitForResponse('**/api/v1/desk/phones')
  await pairing(page)
    .getByRole('button', { name: /Show the code|Connect another phone/ })
    .click()
  const { address } = (await (await answer).json()) as { address: string }
  const drawn = pairing(page).getByRole('img', { name: 'Code for the phone' })
  await expect(drawn.locator('path')).toHaveAttribute('d', qrCode(address).path)
  return address
}

test('the window for a phone, opened without a connection, can be tried again', async ({ page, watch }) => {
  watch.excuse(/ERR_FAILED|Loading chunk pairing failed/)
  await page.goto('desk')
  const chunk = chunkOf('features/desk/Pairing.tsx')
  await page.route(chunk, (route) => route.abort())
  await phones(page).click()
  await expect(pairing(page).getByRole('alert')).toHaveText('Something went wrong. Please try again.')
  await expectAccessible(page, 'a window for a phone that did not arrive')
  await page.unroute(chunk)
  await pairing(page).getByRole('button', { name: 'Try again' }).click()
  await expect(pairing(page).getByRole('button', { name: 'Show the code' })).toBeFocused()
})

test('R-DESK-9 a phone lends a book by its camera alone, and stops when it is disconnected', async ({
  page,
  library,
  who,
  browserWith,
}) => {
  const { book, reader } = await scene(library, present(who))
  const address = await codeOf(page)
  await expect(pairing(page)).toContainText('This address works only on this computer')
  await expectAccessible(page, 'the code for a phone')

  const phone = await (await browserWith(filming())).newPage()
  await phone.addInitScript(() => {
    const shakes: unknown[] = []
    Object.assign(window, { shakes })
    navigator.vibrate = (pattern) => shakes.push(pattern) > 0
  })
  await phone.goto(address)
  await expect(pairing(page).getByRole('heading', { name: 'Phones of this desk' })).toBeVisible()
  await expect(pairing(page).getByRole('img', { name: 'Code for the phone' })).toBeHidden()
  await expect.poll(() => phone.url(), 'the token does not stay in the address bar').not.toContain('#')
  await expectAccessible(page, 'a phone that scans for the desk')
  await page.keyboard.press('Escape')
  await expect(phones(page)).toHaveText('1 phone connected')
  await expectAccessible(phone, 'a phone that was paired')
  await phone.getByRole('button', { name: 'Start scanning' }).click()

  await expect(phone.getByText(`Lent: “${book.title}”`)).toBeVisible({ timeout: 60_000 })
  await phone.getByRole('button', { name: 'Pause' }).click()
  await expect(page.getByRole('article')).toContainText(`Lent: “${book.title}”`)
  await expect(page.getByRole('region', { name: 'Reader: Asha Kulkarni' })).toContainText('1 book out')
  expect((await reader.loans()).map(({ barcode }) => barcode)).toEqual([COPY.text])
  await expect(phone.locator('main')).toHaveAttribute('data-class', 'ok')
  await expect
    .poll(() => phone.evaluate(() => (window as unknown as { shakes: unknown[] }).shakes))
    .toContainEqual([60])
  await expectAccessible(phone, 'an answer on the phone')
  await expectNoSidewaysScroll(phone, 'an answer on the phone')

  // After a reload the page is still the same desk.
  await page.reload()
  await expect(phones(page)).toHaveText('1 phone connected')
  await phones(page).click()
  await pairing(page).getByRole('button', { name: 'Disconnect phone 1' }).click()
  await expect(phone.getByText('This phone no longer scans for the desk.')).toBeVisible()
  await expectAccessible(phone, 'a phone that was disconnected')
  await expect(pairing(page).getByRole('heading', { name: 'Phones of this desk' })).toBeHidden()
})

test('R-DESK-1 the camera of this machine lends a book at the desk', async ({ library, who, browserWith }) => {
  const { book } = await scene(library, present(who))
  const desk = await (await browserWith(filming(), present(who))).newPage()
  await desk.goto('desk')
  await desk.getByRole('button', { name: 'Camera' }).click()
  await expect(desk.getByText(`Lent: “${book.title}”`).first()).toBeVisible({ timeout: 60_000 })
  await desk.getByRole('button', { name: 'Pause' }).click()
  await expectAccessible(desk, 'the camera at the desk')
  await desk.getByRole('button', { name: 'Camera' }).click()
  await expect(desk.getByRole('region', { name: 'Camera as scanner' })).toBeHidden()
  await expect(desk.getByRole('textbox', { name: 'Scan a card or a book' })).toBeFocused()
})

test('R-DESK-9 a phone says what it lacks: a code, https, another phone in its place', async ({
  page,
  library,
  browserWith,
  watch,
}) => {
  watch.excuse(/library\.test|Cross-Origin-Opener-Policy/)
  const context = await browserWith([`--host-resolver-rules=MAP ${HOST} 127.0.0.1`])
  const phone = await context.newPage()
  await phone.goto(`${library.url}phone`)
  await expect(phone.getByText('press Phone at the desk')).toBeVisible()
  await expectAccessible(phone, 'a phone without a code')

  const address = await codeOf(page)
  await phone.goto(address.replace('localhost', HOST))
  await phone.getByRole('button', { name: 'Start scanning' }).click()
  await expect(phone.getByText('This page was opened over plain http')).toBeVisible()
  await expectAccessible(phone, 'a phone without https')

  // R-SEAM-8: a picture of the code opens nothing, and the desk says that it was tried.
  watch.refuses(409)
  const second = await context.newPage()
  await second.goto(address)
  await expect(second.getByText('Another phone has already used this code.')).toBeVisible()
  await expectAccessible(second, 'a phone with a used code')
  await expect(pairing(page)).toContainText('Another phone tried to use this phone’s code')
  await expectAccessible(page, 'a code that was tried twice')

  // A copy of the phone's page takes over.
  const [copy] = await Promise.all([context.waitForEvent('page'), phone.evaluate(() => void open(location.href))])
  await expect(phone.getByText('Another page on this phone is now scanning for the desk.')).toBeVisible()
  await phone.getByRole('button', { name: 'Scan with this page' }).click()
  await expect(copy.getByText('Another page on this phone is now scanning for the desk.')).toBeVisible()
})
