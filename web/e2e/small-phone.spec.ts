import type { Locator, Page } from '@playwright/test'
import { expectAccessible } from './support/accessible'
import { expectReadable, open } from './support/layout'
import { card, heading, search } from './support/screens'
import { expect, present, test } from './support/test'
import { chunkOf } from './support/chunks'

/** The smallest phone that is still sold, with touch. */
const PHONE = { width: 360, height: 640 }
/** Visible part of the screen above a keyboard of 260 pixels. */
const ABOVE_KEYBOARD = { width: 360, height: 380 }

test.use({ hasTouch: true, isMobile: true, viewport: PHONE })

const bar = (page: Page) => page.getByRole('navigation', { name: 'Main' })

test('R-SCAN-1 a tap opens the scanner in view, with the focus inside, and clears the refusal before', async ({
  page,
  watch,
}) => {
  watch.refuses(401)
  await page.goto('login')
  await page.getByLabel('Email').fill('wrong@demo.library')
  await page.getByLabel('Password', { exact: true }).fill('wrong words')
  await page.getByRole('button', { name: 'Sign In', exact: true }).tap()
  await expect(page.getByText('Invalid email or password.')).toBeVisible()
  await page.getByRole('button', { name: 'Scan ID Card' }).tap()
  const scanner = page.getByRole('region', { name: 'ID card scanner' })
  await expect(scanner).toBeFocused()
  await expect(scanner).toBeInViewport({ ratio: 0.99 })
  await expect(scanner.getByText('or drop it here')).toBeHidden()
  await expect(page.getByText('Invalid email or password.')).toHaveCount(0)
})

for (const address of ['login', 'register', 'stubook-detail/1']) {
  test(`W31 reads every word of ${address} with letters of twice the size`, async ({ page }) => {
    const devtools = await page.context().newCDPSession(page)
    await devtools.send('Page.setFontSizes', { fontSizes: { standard: 32, fixed: 26 } })
    await open(page, address)
    await expectReadable(page, address)
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(PHONE.width)
  })
}

test.describe('a student with a small phone', () => {
  test.use({ as: 'student' })

  /** Holds the code of the app back until the returned function is called. */
  async function withoutCode(page: Page) {
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route(/\/static\/js\//, async (route) => {
      await released
      await route.continue()
    })
    return release
  }

  test('N14 a notice never covers the button that was pressed, nor one that gets the focus', async ({
    page,
    library,
    who,
  }) => {
    for (let book = 0; book < 5; book += 1) await present(who).borrow((await library.addBook({ noOfBooks: 1 })).id)
    await page.goto('profile')
    const extend = page.getByRole('button', { name: /^Extend 7 Days/ })
    await expect(extend).toHaveCount(5)
    // The last row stays the last one with its new date.
    await extend.last().tap()
    const notice = page.getByRole('status').filter({ hasText: 'Return date extended successfully.' })
    await expect(notice).toBeVisible()
    await expect(extend.last()).toBeFocused()
    const isAbove = async (button: Locator) => {
      const [own, other] = await Promise.all([button.boundingBox(), notice.boundingBox()])
      return own !== null && other !== null && own.y + own.height <= other.y
    }
    await expect.poll(() => isAbove(extend.last())).toBe(true)
    const edit = page.getByRole('button', { name: 'Edit Profile' })
    await edit.focus()
    await expect.poll(() => isAbove(edit)).toBe(true)
  })

  test('R-SHELL-3 types before the code of the app has come, and the text and the focus stay', async ({
    page,
    library,
  }) => {
    const author = `Early Thumb ${Date.now()}`
    const book = await library.addBook({ author })
    const release = await withoutCode(page)
    await page.goto('student-home', { waitUntil: 'commit' })
    await search(page).tap()
    await page.keyboard.type(author)
    await expect(heading(page)).toHaveText('Find a book')
    const cover = page
      .getByRole('listitem')
      .filter({ has: page.getByRole('heading', { level: 2 }) })
      .first()
      .locator('img')
    await expect(cover).toBeInViewport({ ratio: 1 })
    await expectAccessible(page, 'the home before its code')
    const places = () => Promise.all([search(page).boundingBox(), cover.boundingBox()])
    const before = await places()
    release()
    await expect(card(page, book.title)).toBeVisible()
    await expect(search(page)).toHaveValue(author)
    await expect(search(page)).toBeFocused()
    await search(page).fill('')
    await page.getByRole('button', { name: 'Close the search' }).tap()
    await expect.poll(places).toEqual(before)
  })

  test('R-SHELL-3 sees the first books stay when the app has come', async ({ page }) => {
    await page.addInitScript(() => {
      const look = () => document.querySelector('#main [class*="skeletonCover"]') && performance.mark('outlines')
      new MutationObserver(look).observe(document, { childList: true, subtree: true })
    })
    const release = await withoutCode(page)
    await page.goto('student-home', { waitUntil: 'commit' })
    await expect(page.getByRole('heading', { level: 2 }).first()).toBeVisible()
    release()
    await expect(bar(page)).toBeVisible()
    await expect(page.locator('#main').getByRole('heading', { level: 2 }).first()).toBeVisible()
    // Read once: outlines would have been there before the books.
    expect(await page.evaluate(() => performance.getEntriesByName('outlines').length)).toBe(0)
  })

  test('R-SHELL-3 says that the app could not be loaded instead of showing books without it', async ({
    page,
    watch,
  }) => {
    watch.excuse(/static\/js/)
    await page.route(/\/static\/js\/index/, async (route) => {
      await page.getByRole('heading', { level: 2 }).first().waitFor()
      await route.abort()
    })
    await page.goto('student-home', { waitUntil: 'commit' })
    await expect(page.getByText('My Library could not be loaded.')).toBeVisible()
    await expect(search(page)).toHaveCount(0)
  })

  test('R-SHELL-3 opens one of the first books before the code of the app has come', async ({ page }) => {
    const release = await withoutCode(page)
    await page.goto('student-home', { waitUntil: 'commit' })
    const book = page.getByRole('heading', { level: 2 }).first()
    // Read once: it is the title of the book that is opened.
    const title = (await book.textContent()) ?? ''
    await book.getByRole('link').tap()
    await expect(page).toHaveURL(/stubook-detail/)
    release()
    await expect(heading(page)).toHaveText(title)
  })

  test('W31 reads every word of the search and of a notice with letters of twice the size', async ({
    page,
    library,
    watch,
    who,
  }) => {
    watch.refuses(503)
    watch.excuse(/could not be extended/)
    const book = await library.addBook()
    await present(who).borrow(book.id)
    const devtools = await page.context().newCDPSession(page)
    await devtools.send('Page.setFontSizes', { fontSizes: { standard: 32, fixed: 26 } })
    await page.goto('student-home')
    const hint = page.getByText('Search by title or author', { exact: true })
    await expect(hint).toBeInViewport({ ratio: 1 })

    await page.route('**/loans/*/extend', (route) => route.fulfill({ status: 503 }))
    await page.goto('profile')
    await page.getByRole('button', { name: /^Extend 7 Days/ }).tap()
    const notice = page.getByRole('alert').filter({ hasText: 'could not be extended' })
    await expect(notice).toContainText('Please try again in a moment.')
    await expect(notice).toBeInViewport({ ratio: 1 })
    await expect.poll(() => notice.evaluate((all) => all.scrollHeight - all.clientHeight)).toBeLessThanOrEqual(1)
  })

  test('R-STU-1 sees two results above the keyboard while typing, and comes back to the whole home', async ({
    page,
    library,
  }) => {
    const author = `Oorvi Thumb ${Date.now()}`
    const books = [await library.addBook({ author }), await library.addBook({ author, noOfBooks: 1 })]
    const other = await library.student()
    await other.borrow(books[1]?.id ?? 0)
    await page.setViewportSize(ABOVE_KEYBOARD)
    await page.goto('student-home')
    await search(page).tap()
    await expect(bar(page)).toBeHidden()
    await page.keyboard.type(author)
    await expect(page.getByText('2 books match')).toBeInViewport()
    for (const { title } of books) await expect(card(page, title)).toBeInViewport({ ratio: 1 })
    await expect(card(page, books[0]?.title ?? '')).toContainText('Available')
    await expect(card(page, books[1]?.title ?? '')).toContainText('Not Available')
    await page.getByRole('button', { name: 'Close the search' }).tap()
    await expect(search(page)).toHaveValue('')
    await expect(page).toHaveURL(/student-home$/)
    await expect(bar(page)).toBeVisible()
    await expect(heading(page)).toBeFocused()
  })

  test('R-STU-1 sees a whole cover on the home, below one row with Home, Profile and Logout', async ({ page }) => {
    await page.goto('student-home')
    await expect(page.getByRole('article').first().locator('img')).toBeInViewport({ ratio: 1 })
    const height = async (part: ReturnType<typeof bar>) => (await part.boundingBox())?.height
    await expect.poll(() => height(bar(page))).toBeLessThanOrEqual(56)
    await expect.poll(() => height(page.getByRole('region', { name: 'Highlights' }))).toBeLessThanOrEqual(132)
    // Nothing cuts the covers of the second slide, and its link comes after them.
    const highlights = page.getByRole('region', { name: 'Highlights' })
    await highlights.getByRole('button', { name: /^Show slide 2/ }).tap()
    const covers = highlights.getByRole('list').filter({ has: page.getByRole('link', { name: 'See popular books' }) })
    await expect(covers.getByRole('link').first()).toBeVisible()
    const bottom = async (part: Locator) => part.evaluate((element) => element.getBoundingClientRect().bottom)
    await expect
      .poll(async () => (await bottom(highlights)) - (await bottom(covers.getByRole('link').first())))
      .toBeGreaterThanOrEqual(4)
    for (const name of ['Home', 'Profile']) await expect(bar(page).getByRole('link', { name })).toBeInViewport()
    await bar(page).getByRole('button', { name: 'Logout' }).tap()
    await expect(page).toHaveURL(/\/login$/)
  })

  test('R-SHELL-3 walks the menu of the person by the keys of a tablet', async ({ page, who }) => {
    await page.goto('student-home')
    await page.getByRole('button', { name: `Account of ${present(who).user.name}` }).press('Enter')
    await expect(page.getByRole('menuitem').first()).toBeFocused()
    for (let item = 0; item < 3; item += 1) await page.keyboard.press('ArrowDown')
    await expect(page.getByRole('menuitemradio', { name: 'हिन्दी' })).toBeFocused()
  })

  test('R-STU-4 W11 Tab goes from the search to the slides, and on to their dots and the pause', async ({ page }) => {
    await page.goto('student-home')
    const highlights = page.getByRole('region', { name: 'Highlights' })
    await highlights.getByRole('button', { name: /^Show slide 3/ }).tap()
    await search(page).focus()
    await expect(highlights).toBeVisible()
    const controls = highlights.getByRole('button', { name: /slide/ })
    await expect(async () => {
      await page.keyboard.press('Tab')
      await expect(controls.first()).toBeFocused({ timeout: 100 })
    }).toPass()
    await page.keyboard.press('Tab')
    await expect(highlights.getByRole('button', { name: /^Show slide 2/ })).toBeFocused()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await expect(highlights.getByRole('button', { name: /^(Play|Pause) the slides/ })).toBeFocused()
  })

  test('R-STU-1 finds genre, availability and order behind one button, which shows that they are set', async ({
    page,
    library,
  }) => {
    // Of many genres the commonest are offered.
    for (let book = 0; book < 3; book += 1) await library.addBook({ genre: 'Thumb Novels' })
    await page.goto('student-home')
    await page.getByRole('button', { name: 'Filter', exact: true }).tap()
    const poetry = page.getByRole('group', { name: 'Common genres' }).getByRole('button', { name: 'Poetry' })
    await poetry.tap()
    await expect(page.getByRole('combobox', { name: 'Genre' })).toHaveValue('Poetry')
    await poetry.tap()
    await expect(page.getByRole('combobox', { name: 'Genre' })).toHaveValue('')
    await page.getByRole('combobox', { name: 'Genre' }).selectOption({ label: 'Thumb Novels (3)' })
    await page.getByRole('button', { name: 'Show 3 books' }).tap()
    await expect(page.getByText('3 books', { exact: true })).toBeVisible()
    await expect(page.getByRole('button', { name: 'Filter (on)' })).toBeVisible()
  })

  test('R-PROF-2 R-LOAN-6 sees a whole loan on the profile, and the way to the desk in place of its buttons', async ({
    page,
    library,
    who,
  }) => {
    const book = await library.addBook({ title: `The Long and Winding Story of a Small Screen ${Date.now()}` })
    await present(who).borrow(book.id)
    await page.goto('profile')
    const loan = page.getByRole('list', { name: 'Borrowed books' }).getByRole('listitem')
    await expect(loan).toBeInViewport({ ratio: 1 })
    await expect(loan).toContainText('in 7 days')
    await expect.poll(async () => (await loan.boundingBox())?.height).toBeLessThanOrEqual(124)
    await loan.getByRole('button', { name: 'Extend 7 Days' }).tap()
    await expect(loan).toContainText('in 14 days')
    await expect(loan.getByText('₹')).toHaveCount(0)
  })
})

test.describe('a student without a network', () => {
  test.use({ as: 'student' })

  test('R-SHELL-3 opens a book and the ID card from the home, whose code was loaded ahead', async ({
    page,
    watch,
    who,
  }) => {
    watch.excuse(/ERR_INTERNET_DISCONNECTED|could not be loaded/)
    const parts = ['ProfileScreen', 'IdCard'].map((part) =>
      page.waitForResponse(chunkOf(`features/profile/${part}.tsx`)),
    )
    const book = page.waitForResponse(chunkOf('features/books/detail/StudentBookDetailScreen.tsx'))
    await page.goto('student-home')
    await expect(page.getByRole('article').first()).toBeVisible()
    await Promise.all([parts[0], book])
    await bar(page).getByRole('link', { name: 'Profile' }).tap()
    await expect(page.getByRole('button', { name: 'My ID card' })).toBeVisible()
    await Promise.all(parts)
    await page.context().setOffline(true)
    await page.getByRole('button', { name: 'My ID card' }).tap()
    await expect(page.getByRole('dialog')).toContainText(present(who).user.rollNumber ?? '')
    await page.keyboard.press('Escape')
    await bar(page).getByRole('link', { name: 'Home' }).tap()
    await page.getByRole('article').first().getByRole('link').tap()
    await expect(page.getByText('The library cannot be reached.').first()).toBeVisible()
    await expect(page.getByText('Unexpected Application Error!')).toHaveCount(0)
    await page.context().setOffline(false)
  })
})

test.describe('a student with a fine', () => {
  test.use({ as: 'demo student' })

  test('R-LOAN-6 reads once what to do, without buttons that do nothing', async ({ page }) => {
    await page.goto('profile')
    const loan = page
      .getByRole('list', { name: 'Borrowed books' })
      .getByRole('listitem')
      .filter({ hasText: '4 days overdue' })
    await expect(loan).toContainText('to settle the fine of ₹20')
    await expect(loan.getByText('₹20').filter({ visible: true })).toHaveCount(1)
    await expect(loan.getByRole('button')).toHaveCount(0)
    // The book's own page says the same, and links to the loan.
    await loan.getByRole('link').first().tap()
    await expect(page.getByText('Bring it to the library desk: the fine is ₹20 so far.')).toBeVisible()
    const link = page.getByRole('link', { name: 'See the loan' })
    await expect.poll(async () => (await link.boundingBox())?.height).toBeGreaterThanOrEqual(44)
    await link.tap()
    await expect(page).toHaveURL(/\/profile$/)
  })

  for (const address of ['student-home', 'student-home?q=the', 'stubook-detail/1', 'profile', 'security', 'new-home']) {
    test(`W31 reads every word of ${address} with letters of twice the size`, async ({ page }) => {
      const devtools = await page.context().newCDPSession(page)
      await devtools.send('Page.setFontSizes', { fontSizes: { standard: 32, fixed: 26 } })
      await open(page, address)
      await expect.poll(() => page.evaluate(() => getComputedStyle(document.documentElement).fontSize)).toBe('32px')
      await expectReadable(page, address)
      await expect
        .poll(() => page.evaluate(() => document.documentElement.scrollWidth))
        .toBeLessThanOrEqual(PHONE.width)
    })
  }
})
