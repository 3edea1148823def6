import { expectAccessible, expectNoSidewaysScroll } from './support/accessible'
import { strip } from './support/desk'
import { heading } from './support/screens'
import { expect, present, test } from './support/test'
import { chunkOf } from './support/chunks'

const bar = 'Main'

test.describe('behind the preloader', () => {
  test.use({ as: 'librarian', preloader: true })

  test('a screen whose address is typed opens at its top, wherever the one before was', async ({ page }) => {
    const scrolled = () => page.evaluate(() => scrollY)
    await page.goto('settings?tab=notices')
    await expect(page.locator('#preloader')).toHaveCount(0)
    await expect(page.getByRole('switch', { name: 'Automatic notices' })).toBeVisible()
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight))
    await expect.poll(scrolled).toBeGreaterThan(200)
    await page.goto('add')
    await expect(page.locator('#preloader')).toHaveCount(0)
    await expect(heading(page)).toHaveText('Add New Book')
    await expect.poll(scrolled).toBe(0)
  })
})

test.describe('the bar of a librarian', () => {
  test.use({ as: 'librarian' })

  test('U3 leads to the borrowed books, says how many are overdue, and marks where one is', async ({ page }) => {
    await page.goto('home')
    const nav = page.getByRole('navigation', { name: bar })
    await expect(nav.getByRole('link', { name: 'Home', exact: true })).toHaveAttribute('aria-current', 'page')
    await nav.getByRole('link', { name: 'Borrowed books', exact: true }).click()
    await expect(heading(page)).toHaveText('All Borrowed Books')
    await expect(nav.getByRole('link', { name: /^Borrowed books/ })).toHaveAttribute('aria-current', 'page')
    await expect(nav.getByRole('link', { name: 'Home', exact: true })).not.toHaveAttribute('aria-current', 'page')
    // R-HOME-1: Back and Forward walk through the screens.
    await page.goBack()
    await expect(page.getByRole('heading', { level: 1, name: 'Books', exact: true })).toBeVisible()
    await page.goForward()
    await expect(heading(page)).toHaveText('All Borrowed Books')
  })

  test('says who is signed in, at any width, and its menu can be used by keyboard alone', async ({ page, who }) => {
    await page.goto('home')
    const name = page.getByRole('button', { name: `Account of ${present(who).user.name}` })
    for (const width of [1440, 768, 390, 320]) {
      await page.setViewportSize({ width, height: 800 })
      await expect(name).toBeVisible()
      await expect(page.getByRole('button', { name: 'Logout' })).toBeVisible()
      await expectNoSidewaysScroll(page, `the bar at ${width}`)
    }
    await page.setViewportSize({ width: 1440, height: 800 })
    await name.focus()
    await page.keyboard.press('Enter')
    await expect(page.getByRole('menu')).toBeVisible()
    await expect(page.getByRole('menuitem').first()).toBeFocused()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await expect(page.getByRole('menuitemradio').first()).toBeFocused()
    await expectAccessible(page, 'the menu of the person')
    await page.keyboard.press('Escape')
    await expect(page.getByRole('menu')).toHaveCount(0)
    await expect(name).toBeFocused()
    await page.keyboard.press('Enter')
    await page.getByRole('menuitem', { name: 'Security' }).click()
    await expect(heading(page)).toHaveText('Security')
  })

  test('Ctrl+K goes to a screen and to a book, also out of a field', async ({ page }) => {
    await page.goto('home')
    await page.getByRole('searchbox').focus()
    await page.keyboard.press('Control+k')
    const palette = page.getByRole('dialog', { name: 'Go to' })
    await expect(palette.getByRole('textbox')).toBeFocused()
    await expect(palette.getByText('Add New Book')).toBeVisible()
    await expectAccessible(page, 'the palette')
    await page.keyboard.press('Escape')
    await expect(page.getByRole('searchbox')).toBeFocused()
    await page.keyboard.press('Control+k')
    await expect(palette.getByRole('textbox')).toBeFocused()
    await page.keyboard.type('delete')
    await expect(palette.getByText('Add New Book')).toHaveCount(0)
    await page.keyboard.press('Enter')
    await expect(heading(page)).toHaveText('Delete Books')

    await page.keyboard.press('Control+k')
    await expect(palette.getByRole('textbox')).toBeFocused()
    await page.keyboard.type('god of small')
    await expect(palette.getByText('The God of Small Things')).toBeVisible()
    await page.keyboard.press('Enter')
    await expect(heading(page)).toHaveText('The God of Small Things')
    await expect(page).toHaveURL(/\/book-detail\/\d+$/)

    // Enter opens what is typed, not the result of the previous text.
    await page.keyboard.press('Control+k')
    await palette.getByRole('textbox').fill('god of small')
    await expect(palette.getByText('The God of Small Things')).toBeVisible()
    await palette.getByRole('textbox').fill('train to')
    await page.keyboard.press('Enter')
    await expect(heading(page)).toHaveText('Train to Pakistan')
  })

  test('L8 L27 keys and deeds lead to the desk with a reader, to the book drop, and to a book to add', async ({
    page,
    library,
  }) => {
    const reader = await library.student({ name: `Bhavna ${Date.now()}` })
    await page.goto('home')
    const palette = page.getByRole('dialog')
    const find = async (what: string, shown: string) => {
      await expect(page.getByRole('searchbox')).toBeVisible()
      await page.keyboard.press('Control+k')
      await palette.getByRole('textbox').fill(what)
      await expect(palette.getByText(shown).first()).toBeVisible()
    }
    await find(reader.user.name, reader.user.name)
    await expectAccessible(page, 'a person in the palette')
    await page.keyboard.press('Shift+Enter')
    await expect(heading(page)).toHaveText('Desk')
    await expect(strip(page, reader.user.name)).toBeVisible()

    await page.goto('home')
    await find('book drop', 'Book drop')
    await page.keyboard.press('Enter')
    await expect(page.getByText('Book drop is on')).toBeVisible()
    await page.keyboard.press('Escape')
    await page.reload()
    await expect(heading(page)).toHaveText('Desk')
    await expect(page.getByText('Book drop is on')).toBeHidden()

    await page.goto('home')
    await page.getByRole('searchbox').focus()
    await page.keyboard.press('Alt+KeyN')
    await expect(heading(page)).toHaveText('Quick add')
  })

  test('W9 keys that are pressed alone can be switched off, and stay off', async ({ page }) => {
    await page.goto('home')
    await expect(heading(page)).toBeVisible()
    await page.keyboard.press('?')
    const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await help.getByRole('switch').uncheck()
    await expectAccessible(page, 'the keyboard help')
    await page.keyboard.press('Escape')
    await page.reload()
    await expect(heading(page)).toBeVisible()
    await page.keyboard.press('?')
    await page.keyboard.press('/')
    await expect(page.getByRole('searchbox')).not.toBeFocused()
    await expect(help).toHaveCount(0)
  })

  test('W13 W19 a screen that does not arrive is asked for again by another address, and leaves the bar, which leads to others', async ({
    page,
    watch,
  }) => {
    watch.refuses(404)
    const chunk = chunkOf('features/books/lists/DeleteBooksScreen.tsx')
    let asked = 0
    await page.route(chunk, (route) => {
      asked += 1
      return asked === 1 ? route.fulfill({ status: 404, body: 'Not found' }) : route.continue()
    })
    await page.goto('delete')
    await expect(heading(page)).toHaveText('Delete Books')
    expect(asked).toBe(2)
    await page.unroute(chunk)

    await page.route(chunk, (route) => route.fulfill({ status: 404, body: 'Not found' }))
    await page.goto('home')
    const nav = page.getByRole('navigation', { name: bar })
    await nav.getByRole('link', { name: 'Delete' }).click()
    await expect(page.getByRole('alert')).toHaveText('Loading chunk delete failed. (missing)')
    await watch.logged(/Loading chunk delete failed/)
    await expectAccessible(page, 'a screen that did not arrive')
    await nav.getByRole('link', { name: 'Home', exact: true }).click()
    await expect(heading(page)).toHaveText('Books')
  })

  test('W7 a screen begins at its top when it is opened again, and a list where it was left', async ({ page }) => {
    await page.setViewportSize({ width: 1000, height: 500 })
    await page.goto('home')
    const book = page.locator('[data-result]').first()
    const top = () => page.evaluate(() => Math.round(window.scrollY))
    const nav = page.getByRole('navigation', { name: bar })
    // A real mouse click would scroll the page first.
    const follow = (name: string) =>
      nav.getByRole('link', { name, exact: true }).evaluate((link: HTMLElement) => link.click())
    await book.click()
    await expect(page).toHaveURL(/book-detail/)
    await expect(page.getByRole('heading', { level: 2, name: 'Reviews' })).toBeAttached()
    await page.evaluate(() => window.scrollTo(0, 200))
    await expect.poll(top).toBe(200)
    await follow('Home')
    await book.click()
    await expect(page).toHaveURL(/book-detail/)
    await expect.poll(top).toBe(0)

    await follow('Home')
    await expect(heading(page)).toHaveText('Books')
    await page.evaluate(() => window.scrollTo(0, 900))
    // Rows are measured when they are shown: each title of two lines, such as those that other tests add meanwhile, shifts
    // the position by a line.
    const nearly900 = () => expect.poll(async () => Math.abs((await top()) - 900)).toBeLessThan(100)
    await nearly900()
    await follow('Update')
    await expect(heading(page)).toHaveText('All Books')
    await expect(page.getByRole('listitem').first()).toBeInViewport()
    expect(await top()).toBe(0)
    await follow('Home')
    await nearly900()
  })
})

test.describe('a student', () => {
  test.use({ as: 'reader' })

  test('W15 with the storage blocked a person who is signed in is offered to continue, and can still work', async ({
    page,
    who,
  }) => {
    await page.addInitScript(() => {
      Object.defineProperty(window, 'localStorage', {
        get: () => {
          throw new DOMException('blocked', 'SecurityError')
        },
      })
    })
    await page.goto('login')
    await expect(page.getByText(`You are signed in as ${present(who).user.name}.`)).toBeVisible()
    await page.getByRole('button', { name: 'Continue' }).click()
    await expect(heading(page)).toHaveText('Find a book')
  })
})
