import type { Page } from '@playwright/test'
import type { BookDetail, Copy, Receipt } from '../src/api/types'
import { expectAccessible, expectNoSidewaysScroll } from './support/accessible'
import { card, heading, question, search } from './support/screens'
import type { Library, Person } from './support/library'
import { expect, present, test } from './support/test'
import { enrol } from './support/totp'

type Situation = { page: Page; library: Library; who: Person | null }

/** A screen in one of its states: how to get there. */
type State = { name: string; reach: (situation: Situation) => Promise<void> }

const at =
  (path: string, words: string | RegExp) =>
  async ({ page }: Situation) => {
    await page.goto(path)
    await expect(page.getByText(words).first()).toBeVisible()
  }

/** Answers that never come: the state in between. */
const loading =
  (path: string, calls: string) =>
  async ({ page }: Situation) => {
    await page.route(calls, () => undefined)
    await page.goto(path, { waitUntil: 'commit' })
    await expect(page.locator('#main')).toBeVisible()
  }

/** Answers that a server which works does not give. */
const broken =
  (path: string, calls: string) =>
  async ({ page }: Situation) => {
    await page.route(calls, (route) => route.fulfill({ status: 500, body: 'broken' }))
    await page.goto(path)
    await expect(page.getByRole('button', { name: 'Try again' }).first()).toBeVisible()
  }

/** A student who signs in with a second factor. */
async function enrolled(library: Library): Promise<Person> {
  const student = await library.student()
  await enrol(student)
  return student
}

/** A book whose only copy somebody has, and for which somebody waits. */
async function awaitedBook(
  library: Library,
): Promise<{ book: BookDetail; reader: Person; loan: number; next: Person }> {
  const book = await library.addBook({ noOfBooks: 1 })
  const [reader, next] = [await library.student(), await library.student()]
  const { id } = await reader.borrow(book.id)
  await next.ask('POST', `/books/${book.id}/holds`)
  return { book, reader, loan: id, next }
}

/** A book of which a copy is kept for somebody. */
async function keptBook(library: Library): Promise<{ book: BookDetail; next: Person }> {
  const { book, loan, next } = await awaitedBook(library)
  await (await library.librarian()).ask('POST', `/loans/${loan}/return`, { restock: true })
  return { book, next }
}

const VISITOR: State[] = [
  { name: 'sign-in', reach: at('login', 'Keep me signed in') },
  { name: 'people: a code is redeemed', reach: at('redeem', 'Save and sign in') },
  {
    name: 'sign-in refused, with the card panel open',
    reach: async ({ page }) => {
      await page.goto('login')
      await page.getByLabel('Email').fill('nobody@demo.library')
      await page.getByLabel('Password', { exact: true }).fill('wrong words')
      await page.keyboard.press('Enter')
      await expect(page.getByRole('alert')).toBeVisible()
      await page.getByRole('button', { name: 'Scan ID Card' }).click()
      await expect(page.getByRole('region', { name: /scanner/i })).toBeVisible()
    },
  },
  {
    name: 'the second step of a sign-in, with a wrong code',
    reach: async ({ page, library }) => {
      const { user, password } = await enrolled(library)
      await page.goto('login')
      await page.getByLabel('Email').fill(user.email)
      await page.getByLabel('Password', { exact: true }).fill(password)
      await page.keyboard.press('Enter')
      await page.getByLabel('Code from your authenticator app').fill('000000')
      await page.keyboard.press('Enter')
      await expect(page.getByRole('alert')).toBeVisible()
    },
  },
  { name: 'registration', reach: at('register', 'Already registered?') },
  {
    name: 'registration with every field wrong',
    reach: async ({ page }) => {
      await page.goto('register')
      await page.getByRole('button', { name: 'Create Account' }).click()
      await expect(page.getByText('Batch is required.')).toBeVisible()
    },
  },
  { name: 'popular books', reach: at('new-home', 'Popular books') },
  { name: 'popular books on their way', reach: loading('new-home', '**/api/v1/books?*') },
  {
    name: 'a book for a visitor',
    reach: async ({ page, library }) => {
      const book = await library.addBook()
      await page.goto(`stubook-detail/${book.id}`)
      await expect(page.getByRole('link', { name: 'Borrow' })).toBeVisible()
    },
  },
  { name: 'a book that is not there', reach: at('stubook-detail/999999', 'Book not found') },
  { name: 'an unknown address', reach: at('nowhere', 'Unexpected Application Error!') },
]

const STUDENT: State[] = [
  {
    name: 'a book that can be reserved, and one that is',
    reach: async ({ page, library }) => {
      const { book } = await awaitedBook(library)
      await page.goto(`stubook-detail/${book.id}`)
      await page.getByRole('button', { name: 'Reserve' }).click()
      await expect(page.getByText('You are number 2 of 2 in line')).toBeVisible()
    },
  },
  {
    name: 'own holds, and an earlier one',
    reach: async ({ page, library, who }) => {
      const [waited, gone] = [await awaitedBook(library), await awaitedBook(library)]
      for (const { book } of [waited, gone]) await present(who).ask('POST', `/books/${book.id}/holds`)
      await library.deleteBook(gone.book.id)
      await page.goto('profile')
      await page.getByText('1 earlier hold').click()
      await expect(page.getByText(gone.book.title)).toBeVisible()
    },
  },
  { name: 'student home', reach: at('student-home', /\d+ books/) },
  {
    name: 'student home with the notice slide and the help',
    reach: async ({ page }) => {
      await page.goto('student-home')
      await expect(heading(page)).toBeVisible()
      await page.keyboard.press('?')
      await expect(question(page)).toBeVisible()
    },
  },
  { name: 'student home on its way', reach: loading('student-home', '**/api/v1/books?*') },
  { name: 'student home without a match', reach: at('student-home?q=qqzzxx', 'No book matches') },
  { name: 'student home that failed', reach: broken('student-home', '**/api/v1/books?*') },
  {
    name: 'a book with reviews and a refused review',
    reach: async ({ page, library, who }) => {
      const book = await library.addBook()
      await present(who).review(book.id, { rating: 4, comment: 'Well built.' })
      await page.goto(`stubook-detail/${book.id}`)
      // The one that is there becomes the form again.
      await page.getByRole('button', { name: 'Edit' }).click()
      await page.getByLabel('Comment', { exact: true }).fill(' ')
      await page.getByRole('button', { name: 'Save Review' }).click()
      await expect(page.getByText('Comment is required.')).toBeVisible()
    },
  },
  {
    name: 'a lent book with a title of 900 characters',
    reach: async ({ page, library }) => {
      const book = await library.addBook({ title: `Wide ${'and wider '.repeat(85)}${Date.now()}`, noOfBooks: 1 })
      await (await library.student()).borrow(book.id)
      await page.goto(`stubook-detail/${book.id}`)
      await expect(page.getByRole('button', { name: 'Not Available' })).toBeVisible()
    },
  },
  { name: 'a book on its way', reach: loading('stubook-detail/1', '**/api/v1/books/**') },
  { name: 'a book that failed', reach: broken('stubook-detail/1', '**/api/v1/books/**') },
  { name: 'profile without loans', reach: at('profile', 'You have no borrowed books.') },
  {
    name: 'profile while it is edited',
    reach: async ({ page }) => {
      await page.goto('profile')
      await page.getByRole('button', { name: 'Edit Profile' }).click()
      await page.getByLabel('Full name').fill('')
      await page.getByRole('button', { name: 'Update' }).click()
      await expect(page.getByText('Full name is required.')).toBeVisible()
    },
  },
  {
    name: 'profile with a question',
    reach: async ({ page, library, who }) => {
      const book = await library.addBook({ title: `كتاب الجسور ${Date.now()}` })
      await present(who).borrow(book.id)
      await page.goto('profile')
      await page.getByRole('button', { name: /^Return: / }).click()
      await expect(question(page)).toBeVisible()
    },
  },
  {
    name: 'profile with an account, and what it is for',
    reach: async ({ page, library, who }) => {
      const { uid } = present(who).user
      const charge = { amount: 50, kind: 'damage', reason: 'Torn pages' }
      await (await library.librarian()).ask('POST', `/people/${uid}/charges`, charge)
      await page.goto('profile')
      await expect(page.locator('dl')).toContainText('₹50')
      const account = page.getByRole('region', { name: 'Account' })
      await account.getByText('Why?').first().click()
      await expect(account).toContainText('Damaged: Torn pages')
    },
  },
  { name: 'profile on its way', reach: loading('profile', '**/api/v1/me**') },
  { name: 'profile that failed', reach: broken('profile', '**/api/v1/me**') },
]

const LIBRARIAN: State[] = [
  { name: 'librarian’s home', reach: at('home', /\d+ books/) },
  { name: 'librarian’s home on its way', reach: loading('home', '**/api/v1/books?*') },
  { name: 'librarian’s home that failed', reach: broken('home', '**/api/v1/books?*') },
  {
    name: 'librarian’s home with a question about a title from right to left',
    reach: async ({ page, library }) => {
      const book = await library.addBook({ title: `ألف ليلة وليلة ${Date.now()}` })
      await page.goto(`home?q=${encodeURIComponent(book.title)}`)
      await card(page, book.title).getByRole('button').click()
      await expect(question(page)).toBeVisible()
    },
  },
  { name: 'all books', reach: at('books', /\d+ books/) },
  { name: 'delete books', reach: at('delete', /\d+ books/) },
  {
    name: 'add with every field wrong',
    reach: async ({ page }) => {
      await page.goto('add')
      await page.getByRole('button', { name: 'Add Book' }).click()
      await expect(page.getByText('Title is required.').first()).toBeVisible()
    },
  },
  {
    name: 'update',
    reach: async ({ page, library }) => {
      const book = await library.addBook()
      await page.goto(`update/${book.id}`)
      await expect(page.getByLabel('Title', { exact: true })).toHaveValue(book.title)
    },
  },
  {
    name: 'update beside the save of somebody else',
    reach: async ({ page, library }) => {
      const book = await library.addBook()
      await page.goto(`update/${book.id}`)
      await page.getByLabel('Author').fill('First Hand')
      await library.updateBook(book.id, { author: 'Second Hand', location: 'Elsewhere' })
      await page.getByRole('button', { name: 'Update Book' }).click()
      await expect(page.getByRole('button', { name: 'Save again' })).toBeVisible()
    },
  },
  { name: 'update on its way', reach: loading('update/1', '**/api/v1/books/**') },
  {
    name: 'a book for a librarian',
    reach: async ({ page, library }) => {
      const book = await library.addBook()
      await page.goto(`book-detail/${book.id}`)
      await expect(heading(page)).toHaveText(book.title)
      await expect(page.getByText('No reviews yet.')).toBeVisible()
    },
  },
  { name: 'all borrowed books', reach: at('fine', /\d+ loans/) },
  {
    name: 'all borrowed books with a question',
    reach: async ({ page }) => {
      await page.goto('fine')
      await page
        .getByRole('button', { name: /^Return: / })
        .first()
        .click()
      await expect(question(page)).toBeVisible()
    },
  },
  { name: 'all borrowed books on their way', reach: loading('fine', '**/api/v1/loans*') },
  { name: 'all borrowed books without a match', reach: at('fine?q=qqzzxx', 'No loan matches') },
  { name: 'all borrowed books that failed', reach: broken('fine', '**/api/v1/loans*') },
  {
    name: 'copies of a book, one on loan, one withdrawn',
    reach: async ({ page, library, who }) => {
      const book = await library.addBook({ noOfBooks: 3 })
      await (await library.student({ name: 'Kavya Menon' })).borrow(book.id)
      const { copies } = await present(who).ask<{ copies: Copy[] }>('GET', `/books/${book.id}/copies`)
      const free = copies.find(({ state }) => state === 'on-shelf')
      await present(who).ask('POST', `/copies/${free?.id}/move`, { state: 'withdrawn' })
      await page.goto(`book-detail/${book.id}`)
      await page.getByText('1 withdrawn copy').click()
      await expect(page.getByRole('table', { name: 'Withdrawn copies' })).toBeVisible()
    },
  },
  {
    name: 'copies being added, one barcode twice',
    reach: async ({ page, library }) => {
      const book = await library.addBook()
      await page.goto(`book-detail/${book.id}`)
      await page.getByRole('button', { name: 'Add copies' }).click()
      await page.getByLabel('Barcodes').fill('AB-1')
      await page.keyboard.press('Enter')
      await page.keyboard.type('ab-1')
      await page.keyboard.press('Enter')
      await expect(page.getByText('Already in the list: ab-1')).toBeVisible()
    },
  },
  {
    name: 'a copy being moved',
    reach: async ({ page, library }) => {
      const book = await library.addBook()
      await page.goto(`book-detail/${book.id}`)
      await page
        .getByRole('button', { name: /^Move: / })
        .first()
        .click()
      await expect(question(page)).toBeVisible()
    },
  },
  {
    name: 'to shelve, after a code that nobody knows',
    reach: async ({ page, library, who }) => {
      const book = await library.addBook()
      const loan = await (await library.student()).borrow(book.id)
      await present(who).ask('POST', `/loans/${loan.id}/return`, {})
      await page.goto('to-shelve')
      await page.getByLabel('Barcode of the book in your hand').fill('nobody-knows')
      await page.keyboard.press('Enter')
      await expect(page.getByText('No copy has the barcode')).toBeVisible()
      await expect(page.getByRole('table')).toBeVisible()
    },
  },
  {
    name: 'holds: one kept, one said to be returned, one that is waited for',
    reach: async ({ page, library }) => {
      await keptBook(library)
      const { book, loan, reader } = await awaitedBook(library)
      await awaitedBook(library)
      await reader.ask('POST', `/loans/${loan}/return`)
      await page.goto('holds')
      await expect(page.getByRole('region', { name: 'Said to be returned' })).toContainText(book.title)
    },
  },
  {
    name: 'a slip for a book that is kept',
    reach: async ({ page, library }) => {
      await keptBook(library)
      await page.goto('holds')
      await page
        .getByRole('button', { name: /^Print slip/ })
        .first()
        .click()
      await expect(question(page)).toBeVisible()
    },
  },
  {
    name: 'a line, and somebody being moved in it',
    reach: async ({ page, library }) => {
      const { book } = await awaitedBook(library)
      await (await library.student()).ask('POST', `/books/${book.id}/holds`)
      await page.goto(`book-detail/${book.id}`)
      await page
        .getByRole('button', { name: /^Move in line/ })
        .first()
        .click()
      await expect(question(page)).toBeVisible()
    },
  },
  { name: 'people', reach: at('people', 'Everybody') },
  { name: 'people that failed', reach: broken('people', '**/api/v1/people?*') },
  {
    name: 'people: a person, and the form of the details',
    reach: async ({ page, library }) => {
      const reader = await library.student()
      await library.lend(reader, (await library.addBook()).id)
      await page.goto(`people/${reader.user.uid}`)
      await expect(page.getByRole('table', { name: 'Books out' })).toBeVisible()
      await page.getByRole('button', { name: 'Edit', exact: true }).click()
      await expect(question(page)).toBeVisible()
    },
  },
  {
    name: 'people: a certificate',
    reach: async ({ page, library }) => {
      await page.goto(`people/${(await library.student()).user.uid}`)
      await page.locator('#main').getByRole('button', { name: 'More', exact: true }).click()
      await page.getByRole('menuitem', { name: 'No-dues certificate' }).click()
      await question(page).getByRole('button', { name: 'Issue' }).click()
      await expect(question(page).getByRole('article')).toBeVisible()
    },
  },
  {
    name: 'people: what a librarian may do',
    reach: async ({ page, library }) => {
      await page.goto(`people/${(await library.student()).user.uid}`)
      await page.locator('#main').getByRole('button', { name: 'More', exact: true }).click()
      await page.getByRole('menuitem', { name: 'Make a librarian' }).click()
      await expect(question(page).getByLabel('Your own password')).toBeVisible()
    },
  },
  { name: 'people: the import', reach: at('import-people', 'Choose a file') },
  {
    name: 'people: whom a year’s end concerns',
    reach: async ({ page }) => {
      await page.goto('promote')
      await page.getByLabel('From batch').fill('2027')
      await page.getByLabel('To batch').fill('2028')
      await page.getByRole('button', { name: 'Show whom it concerns' }).click()
      await expect(page.getByRole('table')).toBeVisible()
    },
  },
  {
    name: 'money: who owes what and why, and the lines of the month',
    reach: async ({ page, library, who }) => {
      const reader = await library.student()
      const charge = { amount: 50, kind: 'damage', reason: 'Torn pages' }
      await present(who).ask('POST', `/people/${reader.user.uid}/charges`, charge)
      await present(who).ask('POST', `/people/${reader.user.uid}/payments`, { amount: 20, method: 'upi' })
      await page.goto('money')
      await expect(page.getByRole('table', { name: 'Charges and payments' })).toContainText('Torn pages')
      const row = page
        .getByRole('table', { name: 'Who owes what' })
        .getByRole('row')
        .filter({ hasText: reader.user.name })
      await row.getByText('Why?').click()
      await expect(row).toContainText('Damaged')
    },
  },
  {
    name: 'money with a period that ends before it begins',
    reach: at('money?from=2026-02-01&to=2026-01-01', 'must not be before'),
  },
  {
    name: 'money: a receipt that is a copy',
    reach: async ({ page, library, who }) => {
      const { uid } = (await library.student()).user
      await present(who).ask('POST', `/people/${uid}/charges`, { amount: 50, kind: 'other', reason: 'A card' })
      const payment = { amount: 50, method: 'cash' }
      const { receipt } = await present(who).ask<{ receipt: Receipt }>('POST', `/people/${uid}/payments`, payment)
      await page.goto(`receipt/${receipt.number.replace('/', '-')}`)
      await expect(page.getByText('COPY', { exact: true })).toBeVisible()
    },
  },
  { name: 'money that failed', reach: broken('money', '**/api/v1/money/**') },
  { name: 'today at the desk that failed', reach: broken('desk/today', '**/api/v1/desk/today*') },
  { name: 'holds that failed', reach: broken('holds', '**/api/v1/holds?*') },
  { name: 'to shelve that failed', reach: broken('to-shelve', '**/api/v1/copies?*') },
  {
    name: 'rules with a mistake and a category of its own',
    reach: async ({ page }) => {
      await page.goto('settings')
      await page.getByLabel('Set a different value for').first().selectOption('Loan days')
      await page.getByLabel('Loan days').first().fill('99999')
      await page.getByRole('button', { name: 'Save' }).click()
      await expect(page.getByText(/Loan days must be/)).toBeVisible()
    },
  },
  {
    name: 'the effect of a change of the rules',
    reach: async ({ page }) => {
      await page.goto('settings')
      await page.getByLabel('Fine a day').fill('2')
      await page.getByRole('button', { name: 'Save' }).click()
      await expect(question(page).getByRole('table')).toBeVisible()
    },
  },
  {
    name: 'calendar with a new entry',
    reach: async ({ page }) => {
      await page.goto('settings?tab=calendar')
      await page.getByRole('button', { name: 'Add closed days' }).click()
      await expect(page.getByLabel('First day')).toBeVisible()
    },
  },
  { name: 'settings of the library', reach: at('settings?tab=library', 'Suggested at registration') },
  { name: 'settings that failed', reach: broken('settings', '**/api/v1/settings/**') },
  { name: 'security', reach: at('security', 'Where you are signed in') },
  {
    name: 'security, with an authenticator app to scan for',
    reach: async ({ page, who }) => {
      await page.goto('security')
      await page.getByRole('button', { name: 'Set up', exact: true }).click()
      await question(page).getByLabel('Current password').fill(present(who).password)
      await page.keyboard.press('Enter')
      await expect(question(page).getByRole('img', { name: /QR code/ })).toBeVisible()
    },
  },
  { name: 'security that failed', reach: broken('security', '**/api/v1/me/sessions') },
  { name: 'activity', reach: at('activity', /lent/) },
  { name: 'activity without a match', reach: at('activity?from=2999-01-01', 'Nothing fits these filters.') },
  { name: 'activity that failed', reach: broken('activity', '**/api/v1/changes*') },
  {
    name: 'all borrowed books with an explanation',
    reach: async ({ page }) => {
      await page.goto('fine')
      await page.getByText('Why?').first().click()
      await expect(page.locator('details[open]')).toBeVisible()
    },
  },
]

const EMPTY: State[] = [
  { name: 'librarian’s home without a book', reach: at('home', 'No books available.') },
  { name: 'all borrowed books without a loan', reach: at('fine', 'No books are borrowed at the moment.') },
  { name: 'to shelve with nothing to shelve', reach: at('to-shelve', 'Nothing waits to be shelved.') },
  { name: 'delete books without a book', reach: at('delete', 'No books available.') },
]

/** Light and dark, wide and as narrow as a small phone. */
function check(states: readonly State[]): void {
  for (const { name, reach } of states) {
    test(`${name}: nothing breaks WCAG 2.2 AA in light or dark, and nothing scrolls sideways at 320 pixels`, async ({
      page,
      library,
      who,
      watch,
    }) => {
      watch.excuse(/Failed to load resource/, /could not be/, /404 Not Found/)
      await reach({ page, library, who })
      const html = page.locator('html')
      await expect(html).toHaveAttribute('data-mantine-color-scheme', 'light')
      await expectAccessible(page, `${name}, light`)
      await page.emulateMedia({ colorScheme: 'dark' })
      await expect(html).toHaveAttribute('data-mantine-color-scheme', 'dark')
      await expectAccessible(page, `${name}, dark`)
      await page.setViewportSize({ width: 320, height: 640 })
      await expectNoSidewaysScroll(page, `${name}, 320 px`)
      await expectAccessible(page, `${name}, dark, 320 px`)
    })
  }
}

test.describe('visitors', () => {
  check(VISITOR)
})

test.describe('students', () => {
  test.use({ as: 'student' })
  check(STUDENT)

  test('every screen can be read at 320 pixels with the search in reach', async ({ page }) => {
    await page.setViewportSize({ width: 320, height: 640 })
    await page.goto('student-home')
    await expect(search(page)).toBeInViewport()
    await expect(page.getByRole('article').first()).toBeVisible()
  })
})

test.describe('the demo student', () => {
  test.use({ as: 'demo student' })
  check([
    { name: 'profile with a fine', reach: at('profile', '4 days overdue') },
    {
      name: 'profile with explanations',
      reach: async ({ page }) => {
        await page.goto('profile')
        await expect(page.getByText('4 days overdue')).toBeVisible()
        for (const why of await page.getByText('Why?').all()) await why.click()
        await expect(page.locator('details:not([open])')).toHaveCount(0)
      },
    },
  ])
})

test.describe('librarians', () => {
  test.use({ as: 'librarian' })
  check(LIBRARIAN)
})

test.describe('librarians of an empty library', () => {
  test.use({ as: 'librarian', shelf: 'empty' })
  check(EMPTY)
})
