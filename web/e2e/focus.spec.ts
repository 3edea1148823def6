import type { Locator, Page } from '@playwright/test'
import { screens, type ScreenName } from '../src/screens'
import { heading } from './support/screens'
import { expect, test } from './support/test'

/** How a screen is reached, its heading, and the focused element if it is not the heading. */
type Way = { go: (page: Page) => Promise<unknown>; title: string | RegExp; focus?: (page: Page) => Locator }

const inBar = (name: string | RegExp) => (page: Page) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name }).click()

const underMore = (name: string) => async (page: Page) => {
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name }).click()
}

const byPalette = (name: string) => async (page: Page) => {
  await page.keyboard.press('Control+k')
  await expect(page.getByRole('dialog').getByRole('textbox')).toBeFocused()
  await page.keyboard.type(name)
  await page.keyboard.press('Enter')
}

const firstBook = (page: Page) => page.locator('[data-result]').first().click()
const at = (path: string) => (page: Page) => page.goto(path)
/** A page opened by its address leaves the focus to the browser. */
const opened = (path: string) => ({ go: at(path), focus: (page: Page) => page.locator('body') })

const email = (page: Page) => page.getByLabel('Email')
const signIn = { title: 'Sign in', focus: email }

/** In walking order. A new screen fails here until its way is added. */
const ways: Record<'visitor' | 'librarian' | 'reader', Partial<Record<ScreenName, Way>>> = {
  visitor: {
    // The screen is a form only, so the focus begins in it.
    base: { ...signIn, go: at('') },
    library: { ...signIn, go: at('library') },
    register: { title: 'Create Account', go: (page) => page.getByRole('link', { name: 'Register' }).click() },
    login: { ...signIn, go: (page) => page.getByRole('link', { name: 'Sign in' }).click() },
    redeem: { title: 'Choose a password', go: (page) => page.getByRole('link', { name: 'I have a code' }).click() },
    forgot: { title: 'Forgot your password?', ...opened('forgot') },
    reset: { title: 'Choose a new password', ...opened('reset') },
    setup: { title: 'Set up your library', ...opened('setup') },
    phone: { title: /./, ...opened('phone') },
    noDues: { title: 'No-dues certificate', ...opened('no-dues/NOBODYS') },
  },
  librarian: {
    fine: { title: 'All Borrowed Books', go: inBar(/^Borrowed books/) },
    books: { title: 'All Books', go: inBar('Update') },
    updateBook: {
      title: 'Update Book Details',
      go: (page) =>
        page
          .getByRole('main')
          .getByRole('link', { name: /^Update/ })
          .first()
          .click(),
    },
    deleteBooks: { title: 'Delete Books', go: inBar('Delete') },
    // Ready for the scanner.
    quickAdd: { title: 'Quick add', go: underMore('Quick add'), focus: (page) => page.getByLabel('ISBN') },
    // Ready for the scanner.
    toShelve: {
      title: 'Copies',
      go: underMore('Copies'),
      focus: (page) => page.getByLabel('Barcode of the book in your hand'),
    },
    // Ready for the scanner.
    desk: { title: 'Desk', go: inBar('Desk'), focus: (page) => page.getByLabel('Scan a card or a book') },
    deskToday: { title: 'Today at the desk', go: (page) => page.getByRole('link', { name: 'Today' }).click() },
    people: { title: 'People', go: inBar('People') },
    person: { title: /./, go: (page) => page.locator('tbody').getByRole('link').first().click() },
    importPeople: { title: 'Import people', ...opened('import-people') },
    importBooks: { title: 'Import books', ...opened('import-books') },
    promote: { title: 'Year’s end', ...opened('promote') },
    holds: { title: 'Reservations', go: inBar('Reservations') },
    money: { title: 'Money', go: underMore('Money') },
    closings: { title: 'Closings', ...opened('closings') },
    closing: { title: 'Closing 1', ...opened('closings/1') },
    receipt: { title: /^Receipt /, ...opened('receipt/2026-27-000001') },
    activity: { title: 'Activity', go: underMore('Activity') },
    labels: { title: 'Labels', go: underMore('Labels') },
    mails: { title: 'Mails', go: underMore('Mails') },
    settings: { title: 'Settings', go: underMore('Settings') },
    addBook: {
      title: 'Add New Book',
      go: byPalette('add new'),
      focus: (page) => page.getByLabel('Title', { exact: true }),
    },
    home: { title: 'Books', go: inBar('Home') },
    bookDetail: { title: /./, go: firstBook },
  },
  reader: {
    profile: { title: 'User Profile', go: inBar('Profile') },
    notices: { title: 'Notices', go: byPalette('notices') },
    security: { title: 'Security', go: byPalette('security') },
    studentHome: { title: 'Find a book', go: inBar('Home') },
    studentBookDetail: { title: /./, go: firstBook },
    newHome: { title: 'Popular books', go: byPalette('popular') },
  },
}

test('W29 every screen of the table is reached below', () => {
  expect(
    Object.values(ways)
      .flatMap((some) => Object.keys(some))
      .toSorted(),
  ).toEqual(Object.keys(screens).toSorted())
})

for (const as of ['visitor', 'librarian', 'reader'] as const) {
  test.describe(`as a ${as}`, () => {
    test.use({ as })

    test('W8 W23 W29 on every screen the focus begins at the heading or the first field, and the tab has its name', async ({
      page,
      watch,
    }) => {
      test.slow()
      watch.excuse(/no-dues\/NOBODYS|till\/closings\/1/)
      await page.goto({ visitor: 'login', librarian: 'home', reader: 'student-home' }[as])
      await expect(heading(page)).toBeVisible()
      for (const [name, { go, title, focus = heading }] of Object.entries(ways[as])) {
        await test.step(name, async () => {
          await go(page)
          await expect(heading(page)).toHaveText(title)
          // Also after the data has arrived.
          await expect(page.locator('.mantine-Skeleton-root')).toHaveCount(0)
          await expect(focus(page)).toBeFocused()
          const named = async () => (await page.title()) === `${await heading(page).textContent()} · My Library`
          await expect.poll(named, 'the tab is called like the heading').toBe(true)
        })
      }
    })
  })
}
