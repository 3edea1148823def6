import type { BrowserContext } from '@playwright/test'
import type { BookDetail, Copy, Receipt } from '../src/api/types'
import { expectEdges } from './support/layout'
import { card, heading, question, row, search } from './support/screens'
import type { Library, Person } from './support/library'
import { expect, present, test } from './support/test'
import { enrol } from './support/totp'
import { expectWell, settled, walkScreen, type Situation, type State, type Walk } from './support/walk'
import type { Watch } from './support/watch'

/**
 * Every screen with its dialogs, errors and empty lists, one test per screen and role: no violation of WCAG 2.2 AA in
 * light, dark or at 320 pixels; readable at 200 % and with text of twice the size; edges in forced colours; targets of
 * fingertip size; and only translated words in longer scripts and from right to left.
 */

const at =
  (path: string, words: string | RegExp) =>
  async ({ page }: Situation) => {
    await page.goto(path)
    await expect(page.getByText(words).first()).toBeVisible()
  }

/** Answers that never arrive: the loading state. */
const loading = (name: string, path: string, calls: string): State => ({
  name,
  reach: async ({ page }) => {
    await page.route(calls, () => undefined)
    await page.goto(path, { waitUntil: 'commit' })
    await expect(page.locator('#main')).toBeVisible()
  },
})

/** Answers that a working server does not give. */
const broken = (name: string, path: string, calls: string): State => ({
  name,
  reach: async ({ page }) => {
    await page.route(calls, (route) => route.fulfill({ status: 500, body: 'broken' }))
    await page.goto(path)
    await expect(page.getByText('Something went wrong on the server.').first()).toBeVisible()
    await expect(page.getByRole('button', { name: 'Try again' }).first()).toBeVisible()
  },
  excused: [/status of 500/, /could not be loaded/],
  // R-FAIL-1: once the server answers again, Try again loads what was missing.
  also: async ({ page }) => {
    await page.unroute(calls)
    const again = page.getByRole('button', { name: 'Try again' })
    await expect(async () => {
      if ((await again.count()) > 0) await again.first().click({ timeout: 1000 })
      await expect(again).toHaveCount(0, { timeout: 2000 })
    }).toPass()
  },
})

/** Creates a student who signs in with a second factor. */
async function enrolled(library: Library): Promise<Person> {
  const student = await library.student()
  await enrol(student)
  return student
}

/** Creates a book whose only copy is on loan, with a waiting reader. */
async function awaitedBook(
  library: Library,
): Promise<{ book: BookDetail; reader: Person; loan: number; next: Person }> {
  const book = await library.addBook({ noOfBooks: 1 })
  const [reader, next] = [await library.student(), await library.student()]
  const { id } = await reader.borrow(book.id)
  await next.ask('POST', `/books/${book.id}/holds`)
  return { book, reader, loan: id, next }
}

/** Creates a book with a copy kept for a reader. */
async function keptBook(library: Library): Promise<{ book: BookDetail; next: Person }> {
  const { book, loan, next } = await awaitedBook(library)
  await (await library.librarian()).ask('POST', `/loans/${loan}/return`, { restock: true })
  return { book, next }
}

/** Creates a receipt; returns the address of its screen. */
async function receiptOf(library: Library): Promise<string> {
  const { uid } = (await library.student()).user
  const desk = await library.librarian()
  await desk.ask('POST', `/people/${uid}/charges`, { amount: 50, kind: 'other', reason: 'A card' })
  const payment = { amount: 50, method: 'cash' }
  const { receipt } = await desk.ask<{ receipt: Receipt }>('POST', `/people/${uid}/payments`, payment)
  return receipt.number.replace('/', '-')
}

/** Closes the till; returns the number of the closing. */
async function closingOf(library: Library): Promise<number> {
  await receiptOf(library)
  const desk = await library.librarian()
  const { after, expected } = await desk.ask<{ after: number; expected: number }>('GET', '/till')
  const till = { after, expected, counted: expected, note: '' }
  return (await desk.ask<{ number: number }>('POST', '/till/closings', till)).number
}

const NOT_FOUND = [/status of 404/, /404 Not Found/, /could not be loaded/]

const VISITOR: Walk[] = [
  {
    address: 'login',
    states: [
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
        excused: [/status of 401/],
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
        excused: [/status of 401/],
      },
    ],
  },
  { address: 'redeem' },
  { address: 'forgot' },
  { address: 'reset' },
  { address: 'reset#used', excused: [/status of 401/] },
  { address: 'setup' },
  {
    address: 'register',
    states: [
      {
        name: 'registration with every field wrong',
        reach: async ({ page }) => {
          await page.goto('register')
          await page.getByRole('button', { name: 'Create Account' }).click()
          await expect(page.getByText('Batch is required.')).toBeVisible()
        },
        // In forced colours the invalid and the focused field are visible (U13).
        also: async ({ page }) => {
          await page.emulateMedia({ forcedColors: 'active', colorScheme: 'dark' })
          const name = page.getByLabel('Full name')
          await expect(name).toBeFocused()
          await expect(name).toHaveAttribute('aria-invalid', 'true')
          await expect(name).toHaveCSS('outline-style', 'solid')
        },
      },
    ],
  },
  {
    address: 'new-home',
    states: [loading('popular books on their way', 'new-home', '**/api/v1/books?*')],
  },
  {
    address: 'stubook-detail/1',
    states: [
      {
        name: 'a book for a visitor',
        reach: async ({ page, library }) => {
          await page.goto(`stubook-detail/${(await library.addBook()).id}`)
          await expect(page.getByRole('link', { name: 'Borrow' })).toBeVisible()
        },
      },
      {
        name: 'a book that is not there',
        reach: at('stubook-detail/999999', 'Book not found'),
        excused: NOT_FOUND,
        also: async ({ page }) => {
          await page
            .getByRole('main')
            .getByRole('link', { name: /^(Find a book|Popular books)$/ })
            .first()
            .click()
          await expect(page).not.toHaveURL(/stubook-detail/)
        },
      },
    ],
  },
  { address: 'phone' },
  { address: 'nowhere', excused: NOT_FOUND },
]

const STUDENT: Walk[] = [
  {
    address: 'student-home',
    prepare: async ({ library, who }) => void (await library.lend(present(who), 2)),
    states: [
      {
        name: 'student home with the notice slide and the help',
        reach: async ({ page }) => {
          await page.goto('student-home')
          await expect(heading(page)).toBeVisible()
          await page.keyboard.press('?')
          await expect(question(page)).toBeVisible()
        },
      },
      {
        name: 'student home at 320 pixels',
        reach: async ({ page }) => {
          await page.setViewportSize({ width: 320, height: 640 })
          await page.goto('student-home')
          await expect(search(page)).toBeInViewport()
          await expect(page.getByRole('article').first()).toBeVisible()
        },
      },
      loading('student home on its way', 'student-home', '**/api/v1/books?*'),
      { name: 'student home without a match', reach: at('student-home?q=qqzzxx', 'No book matches') },
      broken('student home that failed', 'student-home', '**/api/v1/books?*'),
    ],
  },
  {
    address: 'stubook-detail/1',
    states: [
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
        name: 'a book with reviews and a refused review',
        reach: async ({ page, library, who }) => {
          const book = await library.addBook()
          await present(who).review(book.id, { rating: 4, comment: 'Well built.' })
          await page.goto(`stubook-detail/${book.id}`)
          // The existing review becomes the form again.
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
      loading('a book on its way', 'stubook-detail/1', '**/api/v1/books/**'),
      broken('a book that failed', 'stubook-detail/1', '**/api/v1/books/**'),
    ],
  },
  {
    address: 'profile',
    prepare: async ({ library, who }) => void (await library.lend(present(who), 2)),
    states: [
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
        name: 'profile with a new calendar link',
        reach: async ({ page }) => {
          await page.goto('profile')
          await page.getByRole('button', { name: /^Make a/ }).click()
          await expect(page.getByLabel('Link for your calendar')).toBeVisible()
        },
      },
      {
        name: 'profile with a question',
        reach: async ({ page, library, who }) => {
          const book = await library.addBook({ title: `كتاب الجسور ${Date.now()}` })
          await present(who).borrow(book.id)
          await page.goto('profile')
          await row(page, book.title)
            .getByRole('button', { name: /^Return: / })
            .click()
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
      {
        name: 'own holds, and an earlier one',
        reach: async ({ page, library, who }) => {
          const [waited, gone] = [await awaitedBook(library), await awaitedBook(library)]
          for (const { book } of [waited, gone]) await present(who).ask('POST', `/books/${book.id}/holds`)
          await library.deleteBook(gone.book.id)
          await page.goto('profile')
          await page.getByText('1 earlier reservation').click()
          await expect(page.getByText(gone.book.title)).toBeVisible()
        },
      },
      loading('profile on its way', 'profile', '**/api/v1/me**'),
      broken('profile that failed', 'profile', '**/api/v1/me**'),
    ],
  },
  { address: 'notices' },
  { address: 'security' },
]

/** A student without a loan, for the first state of the screen only. */
const NEW_STUDENT: State[] = [{ name: 'profile without loans', reach: at('profile', 'You have no borrowed books.') }]

const DEMO_STUDENT: State[] = [
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
]

const LIBRARIAN: Walk[] = [
  { address: 'desk' },
  {
    address: 'desk/today',
    states: [broken('today at the desk that failed', 'desk/today', '**/api/v1/desk/today*')],
  },
  { address: 'closings' },
  { address: 'mails', states: [broken('mails that failed', 'mails', '**/api/v1/mails*')] },
  {
    address: 'labels',
    states: ['batches', 'sheets'].map((tab) => ({
      name: `labels, ${tab}`,
      reach: async ({ page }) => {
        await page.goto(`labels?tab=${tab}`)
        await settled(page)
      },
    })),
  },
  { address: 'closings/1', prepare: async ({ library }) => `closings/${await closingOf(library)}` },
  {
    address: 'home',
    states: [
      {
        name: 'home where colours are forced',
        reach: async ({ page }) => {
          await page.goto('home')
          await settled(page)
        },
        // The current link and the focused card are visible (U13).
        also: async ({ page }) => {
          await page.setViewportSize({ width: 1440, height: 900 })
          await page.emulateMedia({ forcedColors: 'active', colorScheme: 'dark' })
          // Read once: the system's forced colour.
          const canvas = await page.evaluate(() => getComputedStyle(document.body).backgroundColor)
          const mark = page.getByRole('navigation', { name: 'Main' }).locator('[aria-current="page"]')
          await expect(mark).toHaveText('Home')
          const drawn = () => mark.evaluate((link) => getComputedStyle(link, '::after').backgroundColor)
          await expect.poll(drawn).not.toBe(canvas)
          await page.getByRole('searchbox').press('ArrowDown')
          await expect(page.locator('[data-result]').first()).toBeFocused()
          const first = page.getByRole('article').first()
          await expect(first).toHaveCSS('outline-style', 'solid')
          await expect(first).not.toHaveCSS('outline-color', canvas)
        },
      },
      loading('librarian’s home on its way', 'home', '**/api/v1/books?*'),
      broken('librarian’s home that failed', 'home', '**/api/v1/books?*'),
      {
        name: 'librarian’s home with a question about a title from right to left',
        reach: async ({ page, library }) => {
          const book = await library.addBook({ title: `ألف ليلة وليلة ${Date.now()}` })
          await page.goto(`home?q=${encodeURIComponent(book.title)}`)
          await card(page, book.title).getByRole('button').click()
          await expect(question(page)).toBeVisible()
        },
      },
    ],
  },
  { address: 'books' },
  { address: 'delete' },
  {
    address: 'add',
    states: [
      {
        name: 'add with every field wrong',
        reach: async ({ page }) => {
          await page.goto('add')
          await page.getByRole('button', { name: 'Add Book' }).click()
          await expect(page.getByText('Title is required.').first()).toBeVisible()
        },
      },
    ],
  },
  {
    address: 'quick-add',
    prepare: async ({ who }) => {
      await present(who).ask('POST', '/accessions', { title: 'A book to describe later', isbn: '9780141439518' })
    },
    states: [
      {
        name: 'quick add of a title that is here already',
        reach: async ({ page }) => {
          await page.goto('quick-add')
          await page.getByLabel('ISBN').fill('0141439513')
          await expect(page.getByText('is already here')).toBeVisible()
        },
      },
      {
        name: 'quick add with a wrong ISBN',
        reach: async ({ page }) => {
          await page.goto('quick-add')
          await page.getByLabel('ISBN').fill('9780141439519')
          await page.keyboard.press('Enter')
          await expect(page.getByText('its check digit does not fit')).toBeVisible()
        },
      },
      broken('books to describe that failed', 'quick-add', '**/api/v1/accessions*'),
    ],
  },
  {
    address: 'update/1',
    states: [
      {
        name: 'update beside the save of another librarian',
        reach: async ({ page, library }) => {
          const book = await library.addBook()
          await page.goto(`update/${book.id}`)
          await page.getByLabel('Author').fill('First Hand')
          await library.updateBook(book.id, { author: 'Second Hand', location: 'Elsewhere' })
          await page.getByRole('button', { name: 'Update Book' }).click()
          await expect(page.getByRole('button', { name: 'Save again' })).toBeVisible()
        },
        excused: [/status of 412/],
      },
      loading('update on its way', 'update/1', '**/api/v1/books/**'),
    ],
  },
  {
    address: 'book-detail/1',
    states: [
      {
        name: 'copies of a book, one on loan, one withdrawn',
        reach: async ({ page, library, who }) => {
          const book = await library.addBook({ noOfBooks: 3 })
          await (await library.student({ name: 'Kavya Menon' })).borrow(book.id)
          const { copies } = await present(who).ask<{ copies: Copy[] }>('GET', `/books/${book.id}/copies`)
          const free = copies.find(({ state }) => state === 'on-shelf')
          await present(who).ask('POST', `/copies/${free?.id}/move`, { state: 'withdrawn' })
          await page.goto(`book-detail/${book.id}`)
          await expect(page.getByText('No reviews yet.')).toBeVisible()
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
        name: 'a line, and a reader being moved in it',
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
    ],
  },
  {
    address: 'fine',
    states: [
      {
        name: 'lists for the classes',
        reach: async ({ page }) => {
          await page.goto('fine?due=overdue')
          await page.getByRole('button', { name: 'Print by class' }).click()
          await expect(question(page).getByRole('table').first()).toBeVisible()
        },
      },
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
        also: async ({ page }) => {
          await page.emulateMedia({ forcedColors: 'active', colorScheme: 'dark' })
          await expectEdges(page, 'a question')
        },
      },
      {
        name: 'all borrowed books with an explanation',
        reach: async ({ page }) => {
          await page.goto('fine')
          await page.getByText('Why?').first().click()
          await expect(page.locator('details[open]')).toBeVisible()
        },
      },
      loading('all borrowed books on their way', 'fine', '**/api/v1/loans*'),
      { name: 'all borrowed books without a match', reach: at('fine?q=qqzzxx', 'No loan matches') },
      broken('all borrowed books that failed', 'fine', '**/api/v1/loans*'),
    ],
  },
  {
    address: 'to-shelve',
    prepare: async ({ library, who }) => {
      const loan = await (await library.student()).borrow((await library.addBook()).id)
      await present(who).ask('POST', `/loans/${loan.id}/return`, {})
    },
    states: [
      {
        name: 'to shelve, after a code that is unknown',
        reach: async ({ page }) => {
          await page.goto('to-shelve')
          await page.getByLabel('Barcode of the book in your hand').fill('nobody-knows')
          await page.keyboard.press('Enter')
          await expect(page.getByText('No copy has the barcode')).toBeVisible()
          await expect(page.getByRole('table')).toBeVisible()
        },
        excused: [/status of 404/],
      },
      broken('to shelve that failed', 'to-shelve', '**/api/v1/copies?*'),
    ],
  },
  {
    address: 'holds',
    prepare: async ({ library }) => {
      await keptBook(library)
      const { loan, reader } = await awaitedBook(library)
      await awaitedBook(library)
      await reader.ask('POST', `/loans/${loan}/return`)
    },
    states: [
      {
        name: 'holds: one kept, one reported returned, one that is waited for',
        reach: async ({ page }) => {
          await page.goto('holds')
          await expect(page.getByRole('region', { name: 'Reported returned' }).getByRole('row').nth(1)).toBeVisible()
        },
      },
      {
        name: 'a slip for a book that is kept',
        reach: async ({ page }) => {
          await page.goto('holds')
          await page
            .getByRole('button', { name: /^Print slip/ })
            .first()
            .click()
          await expect(question(page)).toBeVisible()
        },
      },
      broken('holds that failed', 'holds', '**/api/v1/holds?*'),
    ],
  },
  {
    address: 'people',
    // The links of its table are as high as their text.
    open: ['touch'],
    states: [broken('people that failed', 'people', '**/api/v1/people?*')],
  },
  {
    address: 'people/{id}',
    // “Open in Activity” is 24 pixels high; barcodes of loans are not marked as data.
    open: ['touch', 'words'],
    prepare: async ({ library }) => {
      const reader = await library.student()
      await library.lend(reader, (await library.addBook()).id)
      return `people/${reader.user.uid}`
    },
    states: [
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
    ],
  },
  { address: 'import-people' },
  {
    address: 'import-people?tab=loans',
    states: [
      {
        name: 'loans: which rows of a list cannot be loans',
        reach: async ({ page }) => {
          await page.goto('import-people?tab=loans')
          const file = 'Acc. No.,Roll No,Issue Date,Due Date\nX1,none,05/06/2026,19/06/2026\n'
          await page
            .locator('input[type=file]')
            .setInputFiles({ name: 'loans.csv', mimeType: 'text/csv', buffer: Buffer.from(file) })
          await page.getByRole('button', { name: 'Check the file' }).click()
          await expect(page.getByRole('heading', { name: '1 row rejected' })).toBeVisible()
        },
      },
    ],
  },
  { address: 'import-people?tab=charges' },
  {
    address: 'import-books',
    states: [
      {
        name: 'books: which column of a file is what',
        reach: async ({ page }) => {
          await page.goto('import-books')
          const file = 'Acc. No.,Name of the Book,Writer\n1,,\n2,Godan,Premchand\n'
          await page
            .locator('input[type=file]')
            .setInputFiles({ name: 'books.csv', mimeType: 'text/csv', buffer: Buffer.from(file) })
          await page.getByRole('button', { name: 'Check the file' }).click()
          await expect(page.getByRole('heading', { name: '1 row rejected' })).toBeVisible()
        },
      },
    ],
  },
  {
    address: 'promote',
    // Its radio buttons are 20 pixels high.
    open: ['touch'],
    states: [
      {
        name: 'people: whom a year’s end concerns',
        reach: async ({ page }) => {
          await page.goto('promote')
          await page.getByLabel('From batch').fill('2027')
          await page.getByLabel('To batch').fill('2028')
          await page.getByRole('button', { name: 'Preview' }).click()
          await expect(page.getByRole('table')).toBeVisible()
        },
      },
    ],
  },
  {
    address: 'money',
    states: [
      {
        name: 'money: who owes what and why, and the lines of the month',
        reach: async ({ page, library, who }) => {
          const reader = await library.student()
          const charge = { amount: 50, kind: 'damage', reason: 'Torn pages' }
          await present(who).ask('POST', `/people/${reader.user.uid}/charges`, charge)
          await present(who).ask('POST', `/people/${reader.user.uid}/payments`, { amount: 20, method: 'upi' })
          await page.goto('money')
          await expect(page.getByRole('table', { name: 'Charges and payments' })).toContainText('Torn pages')
          const debtor = page
            .getByRole('table', { name: 'Who owes what' })
            .getByRole('row')
            .filter({ hasText: reader.user.name })
          await debtor.getByText('Why?').click()
          await expect(debtor).toContainText('Damaged')
        },
      },
      {
        name: 'money with a period that ends before it begins',
        reach: at('money?from=2026-02-01&to=2026-01-01', 'must not be before'),
      },
      broken('money that failed', 'money', '**/api/v1/money/**'),
    ],
  },
  {
    address: 'receipt/{id}',
    // Its day is not marked as data.
    open: ['words'],
    prepare: async ({ library }) => `receipt/${await receiptOf(library)}`,
    states: [
      {
        name: 'money: a receipt that is a copy',
        reach: async ({ page, library, who }) => {
          const number = await receiptOf(library)
          await present(who).ask('POST', `/receipts/${number.replace(/-(\d+)$/, '%2F$1')}/prints`)
          await page.goto(`receipt/${number}`)
          await expect(page.getByText('COPY 2', { exact: true })).toBeVisible()
        },
      },
    ],
  },
  {
    address: 'activity',
    states: [
      { name: 'activity without a match', reach: at('activity?from=2999-01-01', 'Nothing matches these filters.') },
      broken('activity that failed', 'activity', '**/api/v1/changes*'),
    ],
  },
  {
    address: 'settings',
    states: [
      {
        name: 'rules with a mistake and a category of its own',
        reach: async ({ page }) => {
          await page.goto('settings')
          await page.getByLabel('Set a different value for').first().selectOption('Loan days')
          await page.getByLabel('Loan days').first().fill('99999')
          await page.getByRole('button', { name: 'Save' }).click()
          await expect(page.getByText(/Loan days must be/)).toBeVisible()
        },
        excused: [/status of 422/, /could not be computed/],
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
      broken('settings that failed', 'settings', '**/api/v1/settings/**'),
    ],
  },
  {
    address: 'settings?tab=calendar',
    states: [
      {
        name: 'calendar with a new entry',
        reach: async ({ page }) => {
          await page.goto('settings?tab=calendar')
          await page.getByRole('button', { name: 'Add closed days' }).click()
          await expect(page.getByLabel('First day')).toBeVisible()
        },
      },
    ],
  },
  { address: 'settings?tab=library' },
  { address: 'settings?tab=notices' },
  { address: 'settings?tab=wording' },
  {
    address: 'security',
    states: [
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
      broken('security that failed', 'security', '**/api/v1/me/sessions'),
    ],
  },
]

/** A student of a library without books. */
const NOTHING_YET: State[] = [
  { name: 'student home without a book', reach: at('student-home', 'No books available yet.') },
  { name: 'popular books without a book', reach: at('new-home', 'There are no books on the shelves yet.') },
]

const EMPTY: State[] = [
  {
    name: 'librarian’s home without a book',
    reach: at('home', 'No books available. Please add some books!'),
    also: async ({ page }) => {
      await page.getByRole('main').getByRole('link', { name: 'Add New Book' }).last().click()
      await expect(page).toHaveURL(/\/add$/)
    },
  },
  { name: 'all books without a book', reach: at('books', 'No books available. Please add some books!') },
  { name: 'all borrowed books without a loan', reach: at('fine', 'No books are borrowed at the moment.') },
  { name: 'missing copies, of which there are none', reach: at('to-shelve?state=missing', 'No copies are missing.') },
  { name: 'to shelve with nothing to shelve', reach: at('to-shelve', 'Nothing is waiting to be shelved.') },
  {
    name: 'delete books without a book',
    reach: at('delete', 'No books available. Please add some books!'),
  },
]

/** Runs one state after the other, each in its own tab with its own errors. */
async function walkStates(
  states: readonly State[],
  context: BrowserContext,
  watch: Watch,
  situation: Omit<Situation, 'page'>,
): Promise<void> {
  for (const { name, reach, excused = [], also } of states) {
    await test.step(name, () =>
      watch.inState(name, excused, async () => {
        const page = await context.newPage()
        await reach({ ...situation, page })
        await expectWell(page, name)
        await also?.({ ...situation, page })
        await page.close()
      }),
    )
  }
}

for (const [as, walks] of [
  ['visitor', VISITOR],
  ['student', STUDENT],
  ['librarian', LIBRARIAN],
] as const) {
  test.describe(`as a ${as}`, () => {
    test.use({ as })

    for (const { address, prepare, excused = [], open = [], states = [] } of walks) {
      test(`U13 U27 W31 /${address} in all its states`, async ({ page, context, library, who, watch }) => {
        test.setTimeout(240_000)
        const path = (await prepare?.({ page, library, who })) ?? address
        await test.step(path, () => watch.inState(path, excused, () => walkScreen(page, path, open)))
        await walkStates(states, context, watch, { library, who })
      })
    }
  })
}

for (const { name, as, shelf, states } of [
  { name: 'a new student', as: 'student', shelf: 'demo', states: NEW_STUDENT },
  { name: 'the demo’s student, who owes a fine', as: 'demo student', shelf: 'demo', states: DEMO_STUDENT },
  { name: 'a student of an empty library', as: 'reader', shelf: 'empty', states: NOTHING_YET },
  { name: 'the librarian of an empty library', as: 'librarian', shelf: 'empty', states: EMPTY },
] as const) {
  test.describe(`as ${name}`, () => {
    test.use({ as, shelf })

    test(`the screens of ${name}`, async ({ context, library, who, watch }) => {
      test.setTimeout(120_000)
      await walkStates(states, context, watch, { library, who })
    })
  })
}
