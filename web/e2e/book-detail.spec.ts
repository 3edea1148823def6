import type { Page } from '@playwright/test'
import { heading } from './support/screens'
import { PASSWORD } from './support/library'
import { expect, present, test } from './support/test'

/** Value beside a name in the list of details. */
const fact = (page: Page, name: string) =>
  page
    .locator('dl > div')
    .filter({ has: page.getByText(name, { exact: true }) })
    .locator('dd')

const NO_REVIEWS = 'No reviews yet. Be the first to review this book!'

test.describe('for a librarian', () => {
  test.use({ as: 'librarian' })

  test('R-DETAIL-1 the page shows everything about the book, and leads home and to the update', async ({
    page,
    library,
  }) => {
    const book = await library.addBook({ genre: 'Field Guides', location: 'Annex, shelf Q1', noOfBooks: 7 })
    const reader = await library.student({ name: 'Kavya Menon' })
    await reader.review(book.id, { rating: 5, comment: 'Read it on a bridge.' })
    await (await library.student()).review(book.id, { rating: 4, comment: 'Fewer arches than hoped.' })
    await (await library.student()).review(book.id, { rating: 4, comment: 'Solid.' })

    await page.goto(`book-detail/${book.id}`)
    await expect(heading(page)).toHaveText(book.title)
    await expect(page).toHaveTitle(`${book.title} · My Library`)
    await expect(page.getByRole('img', { name: `Cover of ${book.title}` })).toBeVisible()
    await expect(page.getByRole('link', { name: book.author, exact: true })).toBeVisible()
    await expect(page.getByText('Field Guides', { exact: true })).toBeVisible()
    await expect(page.getByText('Available', { exact: true })).toBeVisible()
    await expect(page.getByText(book.description)).toBeVisible()
    await expect(fact(page, 'Number available')).toHaveText('7')
    await expect(fact(page, 'Location')).toHaveText('Annex, shelf Q1')
    await expect(page.getByText('4.3 out of 5')).toBeVisible()
    await expect(page.getByText('Read it on a bridge.')).toBeVisible()
    await expect(page.getByText('Kavya Menon')).toBeVisible()

    await page.getByRole('link', { name: 'Update Book' }).click()
    await expect(page).toHaveURL(new RegExp(`/update/${book.id}$`))
    await page.goBack()
    await page.getByRole('link', { name: 'Back to Home' }).click()
    await expect(page).toHaveURL(/\/home$/)
  })

  test('R-DETAIL-3 a status that was set by hand stands until a student opens the book', async ({
    page,
    pageOf,
    library,
  }) => {
    const book = await library.addBook({ noOfBooks: 2, status: 'Not Available' })
    await page.goto(`book-detail/${book.id}`)
    await expect(page.getByText('Not Available', { exact: true })).toBeVisible()

    const student = await pageOf(await library.student())
    await student.goto(`stubook-detail/${book.id}`)
    await expect(student.getByRole('button', { name: 'Borrow' })).toBeVisible()
    await expect(student.getByText('2 of 2 available')).toBeVisible()

    await page.reload()
    await expect(page.getByText('Available', { exact: true })).toBeVisible()
  })
})

test.describe('for a student', () => {
  test.use({ as: 'reader' })

  test('R-DETAIL-2 the page offers Borrow, the way home, the reviews and a form for one', async ({ page, library }) => {
    const book = await library.addBook()
    await page.goto(`stubook-detail/${book.id}`)
    await expect(heading(page)).toHaveText(book.title)
    await expect(page.getByRole('button', { name: 'Borrow' })).toBeEnabled()
    await expect(page.getByText(NO_REVIEWS)).toBeVisible()
    await expect(page.getByRole('form', { name: 'Write a review' })).toBeVisible()
    await page.getByRole('link', { name: 'Back to Home' }).click()
    await expect(page).toHaveURL(/\/student-home$/)
  })

  test('N28 Back to Home leads to the place in the list, as the browser’s own way back does', async ({ page }) => {
    await page.setViewportSize({ width: 390, height: 640 })
    await page.goto('student-home?sort=author')
    await expect(page.getByRole('article').first()).toBeVisible()
    await page.evaluate(() => window.scrollTo(0, 2000))
    const open = page.getByRole('article').filter({ visible: true }).getByRole('link')
    const top = () => page.evaluate(() => Math.round(window.scrollY))
    await expect.poll(top).toBeGreaterThan(1500)
    await expect(open.nth(4)).toBeVisible()
    const left = await top()
    // A real mouse click would scroll the page first.
    await page.evaluate(() => document.elementFromPoint(100, 300)?.closest('article')?.querySelector('a')?.click())
    await expect(page).toHaveURL(/stubook-detail/)
    await page.getByRole('link', { name: 'Back to Home' }).click()
    await expect(page).toHaveURL(/student-home\?sort=author$/)
    // Rows are measured again.
    await expect.poll(async () => Math.abs((await top()) - left)).toBeLessThan(60)
  })

  test('R-DETAIL-2 R-DETAIL-3 without a copy the button says Not Available and cannot be pressed', async ({
    page,
    library,
  }) => {
    const book = await library.addBook({ noOfBooks: 1 })
    await (await library.student()).borrow(book.id)
    await page.goto(`stubook-detail/${book.id}`)
    await expect(page.getByRole('button', { name: 'Not Available' })).toBeDisabled()
    await expect(page.getByRole('button', { name: 'Borrow' })).toHaveCount(0)
    await expect(page.getByText('All copies are out, next due')).toBeVisible()
  })

  test('a title of 900 characters is cut and can be shown whole', async ({ page, library }) => {
    const book = await library.addBook({ title: `${'An account of everything '.repeat(35)}${Date.now()}` })
    await page.goto(`stubook-detail/${book.id}`)
    const more = page.getByRole('button', { name: 'Show the whole title' })
    await expect(more).toHaveAttribute('aria-expanded', 'false')
    await more.click()
    await expect(page.getByRole('button', { name: 'Shorten the title' })).toHaveAttribute('aria-expanded', 'true')
  })
})

test.describe('for a visitor', () => {
  test('R-DETAIL-4 the book and its reviews can be read, without the names of the reviewers', async ({
    page,
    library,
  }) => {
    const book = await library.addBook()
    const reader = await library.student({ name: 'Farida Wadia' })
    await reader.review(book.id, { rating: 3, comment: 'Middling bridges.' })
    await page.goto(`stubook-detail/${book.id}`)
    await expect(heading(page)).toHaveText(book.title)
    await expect(page.getByText('Middling bridges.')).toBeVisible()
    await expect(page.getByText('A reader')).toBeVisible()
    await expect(page.getByText('Farida')).toHaveCount(0)
    const { body } = await library.call('GET', `/books/${book.id}/reviews`)
    expect(JSON.stringify(body)).not.toContain('Farida')
  })

  test('R-DETAIL-4 Borrow leads to sign-in and back to the same book', async ({ page, library }) => {
    const book = await library.addBook()
    const student = await library.student()
    await page.goto(`stubook-detail/${book.id}`)
    await page.getByRole('link', { name: 'Borrow' }).click()
    await expect(page).toHaveURL(/\/login\?next=/)
    await page.getByLabel('Email').fill(student.user.email)
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign In', exact: true }).click()
    await expect(page).toHaveURL(new RegExp(`/stubook-detail/${book.id}$`))
    await expect(page.getByRole('button', { name: 'Borrow' })).toBeEnabled()
    await page.goBack()
    await expect(page).not.toHaveURL(/\/login/)
  })
})

test.describe('a session that ended meanwhile', () => {
  test.use({ as: 'student' })

  test('Borrow leads to sign-in and back to the same book', async ({ page, library, watch, who }) => {
    watch.refuses(401)
    watch.excuse(/could not be borrowed/)
    const book = await library.addBook()
    await page.goto(`stubook-detail/${book.id}`)
    // The session ends with the press: a moment earlier, the page may notice it by itself.
    await page.route(
      /\/books\/\d+\/loans$/,
      async (route) => {
        await present(who).ask('POST', '/auth/sign-out')
        await route.continue()
      },
      { times: 1 },
    )
    await page.getByRole('button', { name: 'Borrow' }).click()
    await expect(page).toHaveURL(/\/login\?next=/)
    await page.getByLabel('Email').fill(present(who).user.email)
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign In', exact: true }).click()
    await expect(page).toHaveURL(new RegExp(`/stubook-detail/${book.id}$`))
  })
})
