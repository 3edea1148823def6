import { heading } from './support/screens'
import { DEMO_PASSWORD, LIBRARIAN, PASSWORD, STUDENT } from './support/library'
import { expect, present, test } from './support/test'

const ADMIN_SCREENS = ['home', 'books', 'delete', 'add', 'update/1', 'book-detail/1', 'fine']
const OPEN_SCREENS = ['login', 'register', 'new-home', 'stubook-detail/1']

test.describe('a visitor', () => {
  for (const screen of [...ADMIN_SCREENS, 'profile', 'student-home']) {
    test(`R-ROLE-2 comes from /${screen} to /login`, async ({ page }) => {
      await page.goto(screen)
      await expect(page).toHaveURL(/\/login/)
      await expect(page.getByRole('button', { name: 'Sign In', exact: true })).toBeVisible()
    })
  }

  test('R-ROLE-2 after signing in the screen that was asked for is there', async ({ page }) => {
    await page.goto('fine?q=cs25')
    await expect(page).toHaveURL(/\/login\?next=/)
    await page.getByLabel('Email').fill(LIBRARIAN)
    await page.getByLabel('Password', { exact: true }).fill(DEMO_PASSWORD)
    await page.getByRole('button', { name: 'Sign In', exact: true }).click()
    await expect(page).toHaveURL(/\/fine\?q=cs25$/)
    await expect(heading(page)).toHaveText('All Borrowed Books')
  })

  test('R-ROLE-2 a way back that leads out of the library is not taken', async ({ page, library }) => {
    const { user } = await library.student()
    await page.goto(`login?next=${encodeURIComponent('//evil.test/')}`)
    await page.getByLabel('Email').fill(user.email)
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign In', exact: true }).click()
    await expect(page).toHaveURL(/\/library\/student-home$/)
  })

  test('R-DETAIL-4 R-ROLE-2 reads the open screens', async ({ page }) => {
    for (const screen of OPEN_SCREENS) {
      await page.goto(screen)
      await expect(page).toHaveURL(new RegExp(`/${screen}$`))
      await expect(heading(page)).toBeVisible()
    }
  })

  test('R-ROLE-1 gets 401 on every call but the open ones', async ({ library }) => {
    const book = await library.addBook()
    for (const [method, path, body] of [
      ['POST', '/books', library.bookForm()],
      ['PUT', `/books/${book.id}`, library.bookForm()],
      ['DELETE', `/books/${book.id}`],
      ['POST', `/books/${book.id}/loans`],
      ['POST', `/books/${book.id}/reviews`, { rating: 5, comment: 'x' }],
      ['GET', '/loans'],
      ['POST', '/loans/1/return', {}],
      ['POST', '/loans/1/extend'],
      ['GET', '/me'],
      ['PATCH', '/me', { name: 'x', rollNumber: 'x', department: 'x' }],
      ['GET', '/me/loans'],
    ] as const) {
      expect((await library.call(method, path, body)).status, `${method} ${path}`).toBe(401)
    }
    for (const path of ['/books', `/books/${book.id}`, `/books/${book.id}/reviews`, '/auth/session']) {
      expect((await library.call('GET', path)).status, path).toBe(200)
    }
  })
})

test.describe('a student', () => {
  test.use({ as: 'student' })

  test('R-ROLE-2 is led from the screens of librarians to the student home', async ({ page }) => {
    for (const screen of ADMIN_SCREENS) {
      await page.goto(screen)
      await expect(page, screen).toHaveURL(/\/student-home$/)
    }
  })

  test('R-ROLE-2 is led away even with a forged role in the browser storage', async ({ page }) => {
    await page.goto('profile')
    await page.evaluate(() => localStorage.setItem('userRole', 'admin'))
    await page.goto('home')
    await expect(page).toHaveURL(/\/login|\/student-home/)
    await expect(page.getByRole('link', { name: 'Add New Book' })).toHaveCount(0)
  })

  test('R-ROLE-1 gets 403 on every call of librarians', async ({ library, who }) => {
    const book = await library.addBook()
    for (const [method, path, body] of [
      ['POST', '/books', library.bookForm()],
      ['PUT', `/books/${book.id}`, library.bookForm()],
      ['DELETE', `/books/${book.id}`],
      ['GET', '/loans'],
    ] as const) {
      const answer = await present(who).call(method, path, body, { 'If-Match': '"1-1-a"' })
      expect(answer.status, `${method} ${path}`).toBe(403)
    }
    expect(await library.book(book.id)).toMatchObject({ title: book.title })
  })

  test('R-ROLE-1 gets 404 on the loans of another', async ({ library, who }) => {
    const book = await library.addBook()
    const other = await library.student()
    const loan = await other.borrow(book.id)
    for (const action of ['return', 'extend']) {
      expect((await present(who).call('POST', `/loans/${loan.id}/${action}`)).status).toBe(404)
    }
    expect(await other.loans()).toHaveLength(1)
  })
})

test.describe('a librarian', () => {
  test.use({ as: 'librarian' })

  test('R-ROLE-2 is led from the screens of students to the own home', async ({ page }) => {
    await page.goto('profile')
    await expect(page).toHaveURL(/\/home$/)
  })

  test('R-ROLE-3 is made on the command line; without the demo there is no account that everybody knows', async ({
    libraries,
  }) => {
    const empty = await libraries('empty')
    expect((await empty.librarian()).user.role).toBe('admin')
    const answer = await empty.call('POST', '/auth/sign-in', { email: STUDENT, password: DEMO_PASSWORD })
    expect(answer.status).toBe(401)
  })
})
