import type { Dialog, Page, Route } from '@playwright/test'
import type { Account, Copy } from '../src/api/types'
import { expectAccessible } from './support/accessible'
import { barcodes, box, newest, openDesk, scan, strip } from './support/desk'
import { DEMO_PASSWORD, LIBRARIAN, PASSWORD, type Library, type Person } from './support/library'
import { wedgeScan } from './support/scanner'
import { expectDone, heading } from './support/screens'
import { expect, present, test } from './support/test'

test.use({ as: 'librarian' })

const SCANS = '**/api/v1/desk/scans'
const earlier = (page: Page) => page.getByRole('region', { name: 'Earlier' })
const waiting = (page: Page, ...labels: string[]) => page.getByText(`Waiting: ${labels.join(', ')}`)

/** Creates a reader and a title with `copies` copies; returns them with the barcodes. */
async function scene(library: Library, who: Person | null, copies: number, name: string) {
  const book = await library.addBook({ noOfBooks: copies })
  const reader = await library.student({ name })
  const codes = await barcodes(present(who), book.id)
  return { book, reader, card: reader.user.rollNumber ?? '', code: (n: number) => codes[n] ?? '' }
}

/** Keeps the requests of a page from the server while `isCut`. */
async function cuttable(page: Page, pattern: string | RegExp = '**/api/v1/**') {
  const line = { isCut: false }
  await page.route(pattern, (route) => (line.isCut ? route.abort() : route.continue()))
  return line
}

/** Reloads the page; leaving with something unsent asks once. */
async function expectAskedOnReload(page: Page): Promise<void> {
  let asked = 0
  const answer = (dialog: Dialog) => {
    asked += dialog.type() === 'beforeunload' ? 1 : 0
    void dialog.accept()
  }
  page.on('dialog', answer)
  await page.reload()
  page.off('dialog', answer)
  expect(asked).toBe(1)
}

async function signIn(page: Page, email: string, password: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Email' }).fill(email)
  await page.getByRole('textbox', { name: 'Password' }).fill(password)
  await page.getByRole('button', { name: 'Sign In', exact: true }).click()
}

test('V1 R-SEAM-3 scans after the session ended elsewhere wait, the late ones too, and go on with their librarian', async ({
  page,
  library,
  who,
  watch,
}) => {
  watch.refuses(401)
  const { reader, card, code } = await scene(library, who, 3, 'Hema Rane')
  await openDesk(page)
  await scan(page, card)
  await expect(strip(page, 'Hema Rane')).toBeVisible()
  await present(who).ask('POST', '/auth/sign-out')
  await scan(page, code(0))
  await expect(page.getByText('Your session ended. Sign in to continue')).toBeVisible({ timeout: 5000 })
  // A librarian who looks at the books scans on.
  await wedgeScan(page, code(1))
  await expect(page.getByText(`Waiting until you sign in: ${code(0)}, ${code(1)}`)).toBeVisible()
  await wedgeScan(page, code(2))
  await expect(page.getByText(`Waiting until you sign in: ${code(0)}, ${code(1)}, ${code(2)}`)).toBeVisible()
  await expectAccessible(page, 'sign-in with scans that wait')
  // After a reload another person may read the page: it says that tasks wait, not which.
  await page.reload()
  await expect(page.getByText('Scans or payments of the desk wait in this browser')).toBeVisible()
  await expect(page.getByText(code(0))).toHaveCount(0)
  await signIn(page, LIBRARIAN, 'wrong password')
  await expect(page.getByRole('alert')).toBeVisible()
  await expect(page.getByText('Scans or payments of the desk wait in this browser')).toBeVisible()
  expect(await reader.loans()).toEqual([])
  await signIn(page, LIBRARIAN, DEMO_PASSWORD)
  await expect(strip(page, 'Hema Rane')).toContainText('3 books out')
  expect((await reader.loans()).map(({ barcode }) => barcode).toSorted()).toEqual(
    [code(0), code(1), code(2)].toSorted(),
  )
})

test('R-SEAM-3 another librarian learns that tasks wait, not which, and never sends them', async ({
  page,
  library,
  who,
  watch,
}) => {
  watch.refuses(401)
  const { reader, card, code } = await scene(library, who, 1, 'Isha Nair')
  const other = await library.student({ name: 'Omar Desk' })
  await present(who).ask('POST', `/people/${other.user.uid}/role`, {
    role: 'admin',
    capabilities: ['desk'],
    password: present(who).password,
  })
  await openDesk(page)
  await scan(page, card)
  await expect(strip(page, 'Isha Nair')).toBeVisible()
  await present(who).ask('POST', '/auth/sign-out')
  await scan(page, code(0))
  await expect(page.getByText('Your session ended.')).toBeVisible()
  await signIn(page, other.user.email, PASSWORD)
  await expect(page.getByRole('heading', { name: 'Desk', exact: true })).toBeVisible()
  await expect(page.getByText('1 task is waiting for another librarian')).toBeVisible()
  await expect(page.getByText(code(0))).toHaveCount(0)
  await expectAccessible(page, 'a desk where tasks of another librarian wait')
  expect(await reader.loans()).toEqual([])
})

test('V2 R-SEAM-2 a code that is answered 500 is named as not known whether done, and the queue goes on', async ({
  page,
  library,
  who,
  watch,
}) => {
  watch.refuses(500)
  const { reader, card, code } = await scene(library, who, 3, 'Jaya Menon')
  let fails = true
  await page.route(SCANS, (route) =>
    fails && route.request().postData()?.includes(code(1)) ? route.fulfill({ status: 500 }) : route.continue(),
  )
  await openDesk(page)
  await scan(page, card)
  await expect(strip(page, 'Jaya Menon')).toBeVisible()
  for (const n of [0, 1, 2]) await scan(page, code(n))
  const unknown = page.getByRole('alert').filter({ hasText: 'Not known whether done' })
  await expect(unknown).toContainText(code(1))
  await expect(strip(page, 'Jaya Menon')).toContainText('2 books out')
  await expect(page.getByText('The server cannot be reached')).toBeHidden()
  await expectAccessible(page, 'a task of which is not known whether it was done')
  // It outlives a reload, and is sent again under its key.
  await page.reload()
  await expect(unknown).toContainText(code(1))
  fails = false
  await unknown.getByRole('button', { name: `Try again: ${code(1)}` }).click()
  await expect(box(page)).toBeFocused()
  await expect(unknown).toBeHidden()
  await expect.poll(async () => (await reader.loans()).length).toBe(3)
  // Given up, the next one stays by name.
  fails = true
  await page.keyboard.press('Escape')
  await scan(page, code(1))
  await unknown.getByRole('button', { name: `Set aside: ${code(1)}` }).click()
  await expect(newest(page)).toContainText(code(1))
  await expect(newest(page)).toContainText('It is not known whether this was done.')
})

test('V3 R-SEAM-2 a line that hangs is said at once, the answer before it steps back, and the scan is done once', async ({
  page,
  library,
  who,
  watch,
}) => {
  watch.excuse(/ERR_/)
  const { reader, card, code } = await scene(library, who, 2, 'Kiran Bose')
  await openDesk(page)
  await scan(page, card)
  await scan(page, code(0))
  await expect(strip(page, 'Kiran Bose')).toContainText('1 book out')
  const held: Route[] = []
  const began = Date.now()
  await page.route(SCANS, async (route) => {
    held.push(route)
    await new Promise((resolve) => setTimeout(resolve, 7000))
    await route.continue().catch(() => undefined)
  })
  await scan(page, code(1))
  await expect(waiting(page, code(1))).toBeVisible({ timeout: 600 })
  await expect(newest(page)).toHaveAttribute('data-behind')
  await expectAccessible(page, 'a scan that is under way')
  await expect(page.getByText('The server cannot be reached.')).toBeVisible({ timeout: 6000 })
  await expect(strip(page, 'Kiran Bose')).toContainText('2 books out', { timeout: 20_000 })
  expect(Date.now() - began).toBeLessThan(16_000)
  const keys = await Promise.all(held.map(async (route) => (await route.request().allHeaders())['idempotency-key']))
  expect(new Set(keys).size).toBe(1)
  expect(await reader.loans()).toHaveLength(2)
})

test('V5 R-SEAM-5 Undo and a choice pressed twice on a slow line are one action', async ({ page, library, who }) => {
  const { reader, card, code } = await scene(library, who, 1, 'Lata Shetty')
  await openDesk(page)
  await scan(page, card)
  await scan(page, code(0))
  await expect(strip(page, 'Lata Shetty')).toContainText('1 book out')
  const sent: string[] = []
  await page.route(/undo|scans/, async (route) => {
    sent.push(route.request().url())
    await new Promise((resolve) => setTimeout(resolve, 600))
    await route.continue()
  })
  // Two presses in one moment, as of a hand that doubts.
  await newest(page)
    .getByRole('button', { name: 'Undo' })
    .evaluate((button: HTMLElement) => {
      button.click()
      button.click()
    })
  await page.keyboard.press('Alt+KeyZ')
  await expect(strip(page, 'Lata Shetty')).toContainText('No book out')
  expect(sent.filter((url) => url.includes('/undo'))).toHaveLength(1)
  await expect(newest(page)).not.toContainText('already')
  expect(await reader.loans()).toEqual([])
})

test('V6 R-SEAM-1 money taken on a cut line survives a reload by name, and is taken once', async ({
  page,
  library,
  who,
  watch,
}) => {
  watch.excuse(/ERR_/)
  const { card, code, reader } = await scene(library, who, 1, 'Mira Joshi')
  await openDesk(page)
  await scan(page, card)
  await scan(page, code(0))
  await expect(strip(page, 'Mira Joshi')).toContainText('1 book out')
  await page.keyboard.press('Escape')
  await scan(page, code(0))
  await newest(page).getByRole('button', { name: 'Damaged…' }).click()
  await page.getByLabel('What is damaged').fill('Cover torn')
  await page.getByLabel('Charge').fill('40')
  await page.getByRole('button', { name: 'Send to repair' }).click()
  await expect(newest(page).getByRole('button', { name: 'Take ₹40' })).toBeVisible()
  const line = await cuttable(page, '**/api/v1/people/*/payments')
  line.isCut = true
  await newest(page).getByRole('button', { name: 'Take ₹40' }).click()
  await expect(waiting(page, 'Take ₹40')).toBeVisible()
  await expectAskedOnReload(page)
  await expect(waiting(page, 'Take ₹40')).toBeVisible()
  await expectAccessible(page, 'a payment that waits after a reload')
  line.isCut = false
  await expect(newest(page)).toContainText(/₹40 taken, receipt/)
  const { balance } = await present(who).ask<{ balance: number }>('GET', `/people/${reader.user.uid}/account`)
  expect(balance).toBe(0)
})

test('R-SEAM-1 Take money… is a task of the desk: its answer lost and the page reloaded, it is one payment', async ({
  page,
  context,
  library,
  who,
  watch,
}) => {
  watch.excuse(/ERR_/)
  const { card, reader } = await scene(library, who, 1, 'Manu Pillai')
  const account = `/people/${reader.user.uid}/account`
  const librarian = present(who)
  await librarian.ask('POST', `/people/${reader.user.uid}/charges`, { amount: 50, kind: 'other', reason: 'A card' })
  await openDesk(page)
  await scan(page, card)
  await strip(page, 'Manu Pillai').getByRole('button', { name: 'Take money…' }).click()
  const pay = page.getByRole('dialog')
  await pay.getByLabel('Amount').fill('7')
  // The server takes the money, its answer is lost, and then the line is cut.
  let paid = 0
  let isCut = false
  await page.route('**/api/v1/people/*/payments', async (route) => {
    if (!isCut) paid += (await route.fetch()).ok() ? 1 : 0
    isCut = true
    await route.abort()
  })
  await pay.getByRole('button', { name: 'Take ₹7' }).click()
  await expect(pay).toContainText('Waiting: Take ₹7 from Manu Pillai')
  await expectAccessible(page, 'a payment that waits in its window')
  expect(paid).toBe(1)
  await expectAskedOnReload(page)
  await expect(waiting(page, 'Take ₹7 from Manu Pillai')).toBeVisible()
  // A second tab names it, too.
  const second = await context.newPage()
  await openDesk(second)
  await scan(second, card)
  await strip(second, 'Manu Pillai').getByRole('button', { name: 'Take money…' }).click()
  await expect(second.getByRole('dialog').getByRole('alert')).toContainText('Take ₹7 from Manu Pillai')
  await expectAccessible(second, 'a payment under way in another tab')
  // It takes nothing there while the first tab has not settled it.
  await second
    .getByRole('dialog')
    .getByRole('button', { name: /^Take ₹/ })
    .click()
  await expect(second.getByRole('dialog').getByRole('alert')).toContainText('Take ₹7 from Manu Pillai')
  await second.close()
  await page.unroute('**/api/v1/people/*/payments')
  await expect(page.getByText(/₹7 taken, receipt/)).toBeVisible()
  await expect(strip(page, 'Manu Pillai')).toContainText('Owes ₹43')
  const { balance, lines } = await librarian.ask<Account>('GET', account)
  expect(balance).toBe(43)
  expect(lines.filter(({ kind }) => kind === 'payment')).toHaveLength(1)
})

test('R-SEAM-1 Charge…, Waive… and Pay out are tasks of the desk: answer lost and page reloaded, each is done once', async ({
  page,
  library,
  who,
  watch,
}) => {
  watch.excuse(/ERR_/)
  const { reader } = await scene(library, who, 1, 'Uma Nair')
  const { uid } = reader.user
  const librarian = present(who)
  const dialog = page.getByRole('dialog')
  await page.goto(`people/${uid}`)
  const lose = async (open: string, fields: Record<string, string>, submit: string, label: string, done: string) => {
    // The server does it, its answer is lost, and then the line is cut.
    let isCut = false
    const pattern = /\/api\/v1\/(people\/\d+\/(charges|refunds)|charges\/\d+\/waive)$/
    await page.route(pattern, async (route) => {
      if (!isCut) expect((await route.fetch()).ok()).toBe(true)
      isCut = true
      await route.abort()
    })
    await page.getByRole('button', { name: open, exact: true }).click()
    for (const [field, text] of Object.entries(fields)) await dialog.getByLabel(field).fill(text)
    await dialog.getByRole('button', { name: submit, exact: true }).click()
    await expect(dialog).toContainText(`Waiting: ${label}`)
    await expectAskedOnReload(page)
    await expect(waiting(page, label)).toBeVisible()
    // Opened again, the window shows the same task instead of a second form.
    await page.getByRole('button', { name: open, exact: true }).click()
    await expect(dialog).toContainText(`Waiting: ${label}`)
    await expectAccessible(page, `${open} while its task waits`)
    await page.unroute(pattern)
    await expectDone(page, done)
    await expect(dialog).toBeHidden()
  }
  await page.getByRole('button', { name: 'Charge…', exact: true }).waitFor()
  await lose('Charge…', { Reason: 'A wet page', Amount: '60' }, 'Charge', 'Charge Uma Nair ₹60', '₹60 charged')
  await lose('Waive…', { Amount: '25', Reason: 'Half of it' }, 'Waive', 'Waive ₹25 for Uma Nair', '₹25 waived.')
  const account = `/people/${uid}/account`
  const { charges } = await librarian.ask<Account>('GET', account)
  const [charge] = charges
  await librarian.ask('POST', `/people/${uid}/payments`, { amount: 35, method: 'cash' })
  await librarian.ask('POST', `/charges/${charge?.id}/reverse`, { reason: 'Dry again' })
  await page.reload()
  await lose('Pay out credit…', { Amount: '30' }, 'Pay out', 'Pay out ₹30 to Uma Nair', '₹30 paid out.')
  const { balance, lines } = await librarian.ask<Account>('GET', account)
  expect(balance).toBe(-5)
  const kinds = lines.map(({ kind }) => kind)
  for (const kind of ['waiver', 'refund']) expect(kinds.filter((one) => one === kind)).toHaveLength(1)
})

test('R-SEAM-1 Close the day and Cancel this payment: answer lost and page reloaded, each is done once', async ({
  page,
  library,
  who,
  watch,
}) => {
  watch.excuse(/ERR_/)
  const { reader } = await scene(library, who, 1, 'Vani Rao')
  const { uid } = reader.user
  const librarian = present(who)
  const dialog = page.getByRole('dialog')
  await librarian.ask('POST', `/people/${uid}/charges`, { amount: 30, kind: 'other', reason: 'A card' })
  await librarian.ask('POST', `/people/${uid}/payments`, { amount: 30, method: 'cash' })
  const closings = async () => {
    const list = await librarian.ask<{ closings: { number: number }[] }>('GET', '/till/closings')
    return list.closings[0]?.number ?? 0
  }
  const before = await closings()
  const lose = async (pattern: RegExp, press: () => Promise<void>, label: string, done: RegExp) => {
    let isCut = false
    await page.route(pattern, async (route) => {
      if (route.request().method() !== 'POST') return route.continue()
      if (!isCut) expect((await route.fetch()).ok()).toBe(true)
      isCut = true
      return route.abort()
    })
    await press()
    await expect(dialog).toContainText(`Waiting: ${label}`)
    await expectAskedOnReload(page)
    await expect(waiting(page, label)).toBeVisible()
    await page.unroute(pattern)
    await expect(page.getByText(done)).toBeVisible()
  }
  await page.goto('desk/today')
  const close = async () => {
    await page.getByRole('button', { name: 'Close the day…' }).click()
    await dialog.getByLabel('Cash counted').fill('30')
    await dialog.getByRole('button', { name: 'Close the day' }).click()
  }
  await lose(/\/till\/closings$/, close, 'Close the day', /Day closed: closing \d+\./)
  expect(await closings()).toBe(before + 1)

  await page.goto(`people/${uid}`)
  const cancel = async () => {
    await page.getByRole('button', { name: /^Cancel the payment…/ }).click()
    await dialog.getByLabel('Reason').fill('Wrong reader')
    await dialog.getByRole('button', { name: 'Cancel the payment' }).click()
  }
  await lose(/\/receipts\/[^/]+\/reverse$/, cancel, 'Cancel receipt', /cancelled: ₹30 is owed again/)
  const { balance, lines } = await librarian.ask<Account>('GET', `/people/${uid}/account`)
  expect(balance).toBe(30)
  expect(lines.filter(({ kind }) => kind === 'reversal')).toHaveLength(1)
})

test('R-SEAM-1 R-SEAM-2 Declare lost: its answer lost, it is done once; failed three times, it is not known', async ({
  page,
  library,
  who,
  watch,
}) => {
  watch.excuse(/ERR_/)
  watch.refuses(500)
  const { card, code, reader } = await scene(library, who, 2, 'Noor Shah')
  await openDesk(page)
  await scan(page, card)
  for (const n of [0, 1]) await scan(page, code(n))
  await expect(strip(page, 'Noor Shah')).toContainText('2 books out')
  const declare = async (n: number) => {
    await page.getByRole('button', { name: new RegExp(`^Lost.*${code(n)}`) }).click()
    await page.getByRole('dialog').getByLabel('Price').fill('350')
    await page.getByRole('dialog').getByRole('button', { name: 'Declare lost' }).click()
  }
  let isLost = true
  await page.route('**/api/v1/loans/*/lost', async (route) => {
    if (!isLost) return route.continue()
    await route.fetch()
    isLost = false
    return route.abort()
  })
  await declare(0)
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText('₹350 is charged to Noor Shah.')
  await dialog.getByRole('button', { name: 'Later' }).click()
  await expect(strip(page, 'Noor Shah')).toContainText('1 book out')
  await expect(strip(page, 'Noor Shah')).toContainText('Owes ₹350')
  await expect(newest(page)).toContainText('Noor Shah: ₹350 for 1 book')
  await newest(page).getByRole('button', { name: 'Take ₹350' }).click()
  await expect(newest(page)).toContainText('Noor Shah: ₹350 taken')
  await expect(strip(page, 'Noor Shah')).not.toContainText('Owes')

  await page.unroute('**/api/v1/loans/*/lost')
  await page.route('**/api/v1/loans/*/lost', (route) => route.fulfill({ status: 500 }))
  await declare(1)
  await expect(dialog).toContainText('Not known whether done')
  await expectAccessible(page, 'a loss of which is not known whether it was recorded')
  await page.unroute('**/api/v1/loans/*/lost')
  await dialog.getByRole('button', { name: /^Try again/ }).click()
  await expect(dialog).toContainText('₹350 is charged to Noor Shah.')
  expect(await reader.loans()).toEqual([])
})

test('R-SEAM-6 away from the desk each page names what waits, and Close the day stops for a payment', async ({
  page,
  library,
  who,
  watch,
}) => {
  watch.excuse(/ERR_/)
  const { card, code, reader } = await scene(library, who, 1, 'Olga Rao')
  await present(who).ask('POST', `/people/${reader.user.uid}/charges`, { amount: 20, kind: 'other', reason: 'A card' })
  await openDesk(page)
  await scan(page, card)
  await expect(strip(page, 'Olga Rao')).toContainText('Owes ₹20')
  const line = await cuttable(page, /\/api\/v1\/(desk\/scans|people\/\d+\/payments)/)
  line.isCut = true
  await scan(page, code(0))
  await expect(waiting(page, code(0))).toBeVisible()
  await page.getByRole('link', { name: 'People', exact: true }).first().click()
  await expect(heading(page)).toHaveText('People')
  await expect(waiting(page, code(0))).toBeVisible()
  await expectAccessible(page, 'a page that names a task of the desk')
  await page.goto(`people/${reader.user.uid}`)
  await page.getByRole('button', { name: 'Take money…' }).first().click()
  const dialog = page.getByRole('dialog')
  // A scan here neither changes the amount nor presses the button.
  await dialog.getByLabel('Amount').focus()
  await wedgeScan(page, code(0))
  await expect(page.getByText(`“${code(0)}” was scanned into this window and not used.`)).toBeVisible()
  await expect(dialog.getByLabel('Amount')).toHaveValue('20')
  await dialog.getByRole('button', { name: 'Take ₹20' }).click()
  await expect(dialog).toContainText('Waiting: Take ₹20 from Olga Rao')
  await dialog.getByRole('button', { name: 'Close' }).last().click()
  await expect(waiting(page, code(0), 'Take ₹20 from Olga Rao')).toBeVisible()
  page.on('dialog', (question) => void question.accept())
  await page.goto('desk/today')
  await page.getByRole('button', { name: 'Close the day…' }).click()
  await dialog.getByLabel('Cash counted').fill('100')
  await expect(dialog.getByRole('alert')).toContainText('has not confirmed this yet: Take ₹20 from Olga Rao.')
  await expect(dialog.getByRole('button', { name: 'Close the day' })).toBeDisabled()
  await expectAccessible(page, 'closing the day while a payment waits')
  await page.keyboard.press('Escape')
  // The results are said where the librarian is, and stay at the desk until they were seen.
  line.isCut = false
  await expect(page.getByText(/₹20 taken, receipt/)).toBeVisible()
  await expect(page.getByText('Waiting:')).toHaveCount(0)
  await page.goto('desk')
  await expect(earlier(page)).toContainText(/₹20 taken, receipt/)
  await expect(earlier(page)).toContainText('Lent')
  expect(await reader.loans()).toHaveLength(1)
})

test('R-SEAM-1 a scan in the very moment of a reload is kept', async ({ page, library, who, watch }) => {
  watch.excuse(/ERR_/)
  const { reader, card, code } = await scene(library, who, 1, 'Nita Rao')
  await openDesk(page)
  await scan(page, card)
  await expect(strip(page, 'Nita Rao')).toBeVisible()
  const line = await cuttable(page, SCANS)
  line.isCut = true
  await page.keyboard.insertText(code(0))
  // Submits and reloads within one task of the browser.
  const reloaded = page.waitForEvent('load')
  await box(page).evaluate((field: HTMLInputElement) => {
    field.form?.requestSubmit()
    location.reload()
  })
  await reloaded
  await expect(waiting(page, code(0))).toBeVisible()
  line.isCut = false
  await expect(strip(page, 'Nita Rao')).toContainText('1 book out')
  expect(await reader.loans()).toHaveLength(1)
})

test('R-SEAM-1 two tabs of one librarian do not send each other’s tasks, and one that is closed leaves them', async ({
  page,
  context,
  library,
  who,
  watch,
}) => {
  watch.excuse(/ERR_/)
  const { reader, card, code } = await scene(library, who, 1, 'Om Prakash')
  await openDesk(page)
  await scan(page, card)
  await expect(strip(page, 'Om Prakash')).toBeVisible()
  const line = await cuttable(page, SCANS)
  line.isCut = true
  await scan(page, code(0))
  await expect(waiting(page, code(0))).toBeVisible()
  const second = await context.newPage()
  const sent: string[] = []
  second.on('request', (request) => request.url().includes('desk/scans') && sent.push(request.url()))
  await openDesk(second)
  await expect(second.getByText('No reader chosen')).toBeVisible()
  await second.waitForTimeout(1000)
  expect(sent).toEqual([])
  await second.close()
  await page.close()
  const third = await context.newPage()
  await openDesk(third)
  await expect(strip(third, 'Om Prakash')).toContainText('1 book out')
  expect(await reader.loans()).toHaveLength(1)
})

test('V12 a scan makes one request', async ({ page, library, who }) => {
  const { card, code } = await scene(library, who, 3, 'Pia Das')
  const opened = page.waitForResponse(/\/me\/notices\/unread$/)
  await openDesk(page)
  await expect(page.locator('[aria-busy="true"]')).toHaveCount(0)
  // The bell asks last, and the stream of its answer stays open.
  await opened
  const made: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/api/')) made.push(`${request.method()} ${new URL(request.url()).pathname}`)
  })
  // Keys with a scanner's times: a busy machine types slowly enough to ask for suggestions.
  await wedgeScan(page, card)
  for (const n of [0, 1, 2]) await wedgeScan(page, code(n))
  await expect(strip(page, 'Pia Das')).toContainText('3 books out')
  const scans = made.filter((one) => one.endsWith('/desk/scans'))
  expect(scans).toHaveLength(4)
  expect(made.filter((one) => !one.endsWith('/desk/scans') && !one.endsWith('/auth/session'))).toEqual([])
  // The number of overdue books follows when the desk is quiet.
  await expect.poll(() => made.filter((one) => one.endsWith('/loans')).length, { timeout: 8000 }).toBe(1)
})

test.describe('L1 V4 R-SEAM-4 a scan never enters a form', () => {
  /** Scans another book into the field that has the focus: the field keeps what it had, and the scan waits by name. */
  async function expectHeld(page: Page, code: string, end: 'Enter' | 'Tab' = 'Enter'): Promise<void> {
    await wedgeScan(page, code, end)
    await expect(page.getByText(new RegExp(`^Scanned .*${code}\\. (It|They) will wait until you answer`))).toBeVisible()
  }

  test('into Damaged… and Reason: it is done after the form is answered', async ({ page, library, who }) => {
    const { book, reader, card, code } = await scene(library, who, 4, 'Ravi Kale')
    const librarian = present(who)
    const found = await librarian.ask<{ copies: Copy[] }>('GET', `/copies?barcode=${code(1)}`)
    await librarian.ask('POST', `/copies/${found.copies[0]?.id}/move`, { state: 'reference' })
    await openDesk(page)
    await scan(page, card)
    await scan(page, code(1))
    const reason = page.getByLabel('Reason')
    await reason.click()
    await page.keyboard.type('Exam', { delay: 80 })
    await expectHeld(page, code(2))
    await expect(reason).toHaveValue('Exam')
    await expectAccessible(page, 'a scan that waits for a form')
    expect(await reader.loans()).toEqual([])
    await page.getByRole('button', { name: 'Lend anyway' }).click()
    await expect(strip(page, 'Ravi Kale')).toContainText('2 books out')
    expect((await reader.loans()).map(({ barcode }) => barcode).toSorted()).toEqual([code(1), code(2)].toSorted())

    await page.keyboard.press('Escape')
    await scan(page, code(1))
    await expect(newest(page)).toContainText(`Returned: “${book.title}”`)
    await newest(page).getByRole('button', { name: 'Damaged…' }).click()
    await expect(page.getByLabel('What is damaged')).toBeFocused()
    // Some scanners end with Tab.
    await expectHeld(page, code(2), 'Tab')
    await expect(page.getByLabel('What is damaged')).toHaveValue('')
    await page.getByLabel('Charge').click()
    await expect(page.getByLabel('Charge')).toHaveValue('')
    await page.keyboard.press('Escape')
    await expect(newest(page)).toContainText('Returned')
    await expect.poll(() => reader.loans()).toEqual([])
    const { copies } = await librarian.ask<{ copies: Copy[] }>('GET', `/copies?barcode=${code(1)}`)
    expect(copies[0]?.state).not.toBe('in-repair')
  })

  test('into every field and window that the desk can show', async ({ page, library, who }) => {
    const { card, code } = await scene(library, who, 3, 'Sara Pinto')
    const codes = await barcodes(present(who), (await library.addBook({ noOfBooks: 60 })).id)
    await openDesk(page)
    await scan(page, card)
    await scan(page, code(0))
    await expect(strip(page, 'Sara Pinto')).toContainText('1 book out')
    await page.keyboard.press('Escape')
    await scan(page, code(0))
    await newest(page).getByRole('button', { name: 'Damaged…' }).click()
    await page.getByLabel('What is damaged').fill('Wet')
    await page.getByLabel('Charge').fill('30')
    await page.getByRole('button', { name: 'Send to repair' }).click()
    await expect(newest(page).getByRole('button', { name: 'Take ₹30' })).toBeVisible()

    /** Scans into every visible field: the field keeps its value, and the page shows the scan. Returns their number. */
    async function walk(where: string): Promise<number> {
      const fields = page.locator('input, textarea, select').filter({ visible: true })
      const many = await fields.count()
      for (let at = 0; at < many; at++) {
        const field = fields.nth(at)
        if ((await field.getAttribute('id')) === (await box(page).getAttribute('id'))) continue
        await field.focus()
        // Read once: nothing changes the field but the scan.
        const before = await field.inputValue().catch(() => '')
        const another = codes.pop() ?? ''
        await expectHeld(page, another)
        expect(await field.inputValue().catch(() => ''), `${where}, field ${at}`).toBe(before)
        await expect(field).toBeFocused()
      }
      return many - (await box(page).filter({ visible: true }).count())
    }
    expect(await walk('a fine'), 'amount and method').toBeGreaterThanOrEqual(2)
    await newest(page).getByRole('button', { name: 'Waive…' }).click()
    expect(await walk('a waiver')).toBeGreaterThanOrEqual(1)
    await page.keyboard.press('Escape')

    await scan(page, card)
    await expect(strip(page, 'Sara Pinto')).toContainText('Owes ₹30')
    await strip(page, 'Sara Pinto').getByRole('button', { name: 'Take money…' }).click()
    await expect(page.getByRole('dialog')).toBeVisible()
    expect(await walk('Take money…')).toBeGreaterThanOrEqual(2)
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog')).toBeHidden()
    await expect(page.getByText(/^Scanned /)).toBeHidden()

    // Windows without a field: the scan presses no button of theirs.
    await page.getByRole('button', { name: 'Phone' }).click()
    await expectHeld(page, codes.pop() ?? '')
    await expect(page.getByRole('dialog')).toBeVisible()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Control+k')
    await expect(page.getByRole('dialog')).toBeVisible()
    await walk('the palette')
    await expect(page).toHaveURL(/\/desk$/)
  })
})

test.describe('R-SEAM-6 what is unsettled stays within reach', () => {
  test('L2 a bounce is a tick; fines of one reader are one sum; the rest stays under Earlier after a reload', async ({
    page,
    library,
    who,
  }) => {
    const { card, code } = await scene(library, who, 3, 'Tara Iyer')
    await openDesk(page)
    await scan(page, card)
    for (const n of [0, 1, 2]) await scan(page, code(n))
    await expect(strip(page, 'Tara Iyer')).toContainText('3 books out')
    await page.keyboard.press('Escape')
    for (const [n, amount] of [
      [0, '10'],
      [1, '15'],
    ] as const) {
      await scan(page, code(n))
      await newest(page).getByRole('button', { name: 'Damaged…' }).click()
      await page.getByLabel('What is damaged').fill('Wet')
      await page.getByLabel('Charge').fill(amount)
      await page.getByRole('button', { name: 'Send to repair' }).click()
      await expect(newest(page).getByRole('button', { name: `Take ₹${amount}` })).toBeVisible()
    }
    await scan(page, code(2))
    await expect(newest(page)).toContainText('Returned')
    await scan(page, code(2))
    await expect(page.getByText(`${code(2)} scanned again: ignored`)).toBeVisible()
    await expect(newest(page)).toContainText('Returned')
    await expect(page.getByText('scanned again: ignored')).toBeHidden()

    await expect(earlier(page).getByRole('button', { name: 'Take ₹10' })).toBeVisible()
    await expect(earlier(page).getByRole('link', { name: 'Tara Iyer' })).toHaveCount(2)
    await expect(page.getByText('₹25 for 2 books')).toBeVisible()
    await expectAccessible(page, 'earlier answers that are open')
    await page.reload()
    await expect(earlier(page).getByRole('button', { name: 'Take ₹10' })).toBeVisible()
    await expect(earlier(page).getByRole('button', { name: 'Take ₹15' })).toBeVisible()
    await page.keyboard.press('Alt+KeyT')
    await expect(newest(page)).toContainText(/₹25 taken, receipt/)
    await expect(earlier(page).getByRole('button', { name: /Take/ })).toHaveCount(0)
    // A receipt that was on the screen for a moment only is kept, without anything to settle.
    await page.reload()
    await expect(earlier(page)).toContainText(/₹25 taken, receipt/)
    await expect(earlier(page).getByRole('button', { name: /Take|Later/ })).toHaveCount(0)
    await page.waitForTimeout(3500)
    await page.reload()
    await expect(box(page)).toBeFocused()
    await expect(earlier(page)).toBeHidden()
  })
})
