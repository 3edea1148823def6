import { expectDone, expectRefused, heading, libraryDay, question, row } from './support/screens'
import { expect, present, test } from './support/test'

const SORRY = 'This book is currently not available for borrowing.'

test.describe('borrowing', () => {
  test.use({ as: 'student' })

  test('R-LOAN-2 R-LOAN-8 Borrow, pressed twice, takes one copy, begins a loan of 7 days of the library’s clock, and leads to /student-home', async ({
    page,
    library,
    who,
  }) => {
    const book = await library.addBook({ noOfBooks: 2 })
    await page.goto(`stubook-detail/${book.id}`)
    await page.getByRole('button', { name: 'Borrow' }).dblclick()
    await expect(page).toHaveURL(/\/student-home$/)
    await expectDone(page, `is yours until ${libraryDay(7)}.`)
    expect((await library.book(book.id)).noOfBooks).toBe(1)
    expect(await present(who).loans()).toMatchObject([{ bookId: book.id, title: book.title, fine: 0 }])
    // The browser is a day behind. Read once: it was started in this zone.
    expect(await page.evaluate(() => new Date().getTimezoneOffset())).toBe(600)
    await page.goto('profile')
    await expect(row(page, book.title)).toContainText(libraryDay(0))
    await expect(row(page, book.title)).toContainText(libraryDay(7))
  })

  test('R-UNDO-1 a borrow is taken back from its notice, which says so', async ({ page, library, who }) => {
    const book = await library.addBook({ noOfBooks: 1, location: 'Reading room, A3' })
    await page.goto(`stubook-detail/${book.id}`)
    await page.getByRole('button', { name: 'Borrow' }).click()
    await expect(page).toHaveURL(/\/student-home$/)
    await expectDone(page, 'Reading room, A3')
    await page.getByRole('button', { name: 'Undo' }).click()
    await expectDone(page, `Undone: “${book.title}” was not lent.`)
    expect(await present(who).loans()).toEqual([])
    expect((await library.book(book.id)).noOfBooks).toBe(1)
  })

  test('R-LOAN-2 two students ask for the last copy at the same moment: one gets it, the other is told', async ({
    page,
    pageOf,
    library,
    watch,
  }) => {
    watch.refuses(409)
    watch.excuse(/could not be borrowed/)
    const book = await library.addBook({ noOfBooks: 1 })
    const other = await pageOf(await library.student())
    const pages = [page, other]
    for (const one of pages) {
      await one.goto(`stubook-detail/${book.id}`)
      await expect(one.getByRole('button', { name: 'Borrow' })).toBeEnabled()
    }
    await Promise.all(pages.map((one) => one.getByRole('button', { name: 'Borrow' }).click()))
    for (const one of pages) {
      await expect(one.getByText('is yours until').or(one.getByText(SORRY))).toBeVisible()
    }
    let refused = 0
    for (const one of pages) refused += await one.getByText(SORRY).count()
    expect(refused).toBe(1)
    expect((await library.book(book.id)).noOfBooks).toBe(0)
  })

  test('R-LOAN-1 a book that somebody else has just borrowed is refused in words, and the page shows it', async ({
    page,
    library,
    watch,
    who,
  }) => {
    watch.refuses(409)
    const book = await library.addBook({ noOfBooks: 1 })
    await page.goto(`stubook-detail/${book.id}`)
    await expect(page.getByRole('button', { name: 'Borrow' })).toBeEnabled()
    await (await library.student()).borrow(book.id)
    await page.getByRole('button', { name: 'Borrow' }).click()
    await expectRefused(page, SORRY)
    await watch.logged(/could not be borrowed/)
    await expect(page.getByRole('button', { name: 'Not Available' })).toBeDisabled()
    expect(await present(who).loans()).toEqual([])
  })
})

test.describe('giving back', () => {
  test.use({ as: 'student' })

  test('R-LOAN-3 R-LOAN-4 R-LOAN-7 a student extends by 7 days, again and again; the return ends the loan and puts the copy back', async ({
    page,
    library,
    who,
  }) => {
    const book = await library.addBook({ noOfBooks: 1 })
    await present(who).borrow(book.id)
    await page.goto('profile')
    const extend = page.getByRole('button', { name: `Extend 7 Days: ${book.title}` })
    await expect(extend).toHaveText('Extend 7 Days')
    for (const days of [14, 21, 28]) {
      await extend.click()
      await expect(row(page, book.title)).toContainText(libraryDay(days))
      await expectDone(page, 'Return date extended successfully.')
      await expect(extend).toBeEnabled()
    }
    expect((await library.book(book.id)).noOfBooks).toBe(0)
    await page.getByRole('button', { name: `Return: ${book.title}` }).click()
    await expect(question(page)).toContainText(book.title)
    await question(page).getByRole('button', { name: 'Return' }).click()
    await expectDone(page, `Book returned successfully. Leave “${book.title}”`)
    // The extensions can no longer be undone, so their notices have gone.
    await expect(page.getByText('Return date extended successfully.')).toHaveCount(0)
    await expect(page.getByText('You have no borrowed books.')).toBeVisible()
    expect(await present(who).loans()).toEqual([])
    expect(await library.allLoans(present(who).user.name)).toEqual([])
    expect(await library.book(book.id)).toMatchObject({ noOfBooks: 1, status: 'Available' })
  })
})

test.describe('a librarian takes back', () => {
  test.use({ as: 'librarian' })

  test('R-LOAN-3 R-LOAN-4 R-LOAN-7 extends any loan by 7 days; Return leaves the copy out, Return and restock puts it back', async ({
    page,
    library,
  }) => {
    const student = await library.student({ name: `Zoya ${Date.now()}` })
    const [out, back] = [await library.addBook({ noOfBooks: 2 }), await library.addBook({ noOfBooks: 2 })]
    for (const book of [out, back]) await student.borrow(book.id)
    await page.goto(`fine?q=${encodeURIComponent(student.user.name)}`)
    await page.getByRole('button', { name: `Extend 7 Days: ${out.title}` }).click()
    await expectDone(page, 'Return date extended successfully.')
    await expect(row(page, out.title)).toContainText(libraryDay(14))
    for (const { book, action, left } of [
      { book: out, action: 'Return', left: 1 },
      { book: back, action: 'Return and restock', left: 2 },
    ]) {
      await page.getByRole('button', { name: `${action}: ${book.title}` }).click()
      await expect(question(page)).toContainText(book.title)
      await expect(question(page)).toContainText(student.user.name)
      await question(page).getByRole('button', { name: action, exact: true }).click()
      await expectDone(page, 'Book returned successfully.')
      await expect(row(page, book.title)).toHaveCount(0)
      expect((await library.book(book.id)).noOfBooks).toBe(left)
    }
    expect(await student.loans()).toEqual([])
  })
})

test.describe('fines', () => {
  // In order: the last test moves the due date that the others read.
  test.describe.configure({ mode: 'default' })
  test.use({ shelf: 'own', as: 'demo student' })

  test('R-LOAN-5 R-LOAN-6 four days overdue are ₹20, the total is the sum, and only that loan can neither be returned nor extended', async ({
    page,
    who,
  }) => {
    const loans = await present(who).loans()
    const late = loans.filter(({ overdueDays }) => overdueDays > 0)
    expect(late).toMatchObject([{ overdueDays: 4, fine: 20 }])
    await page.goto('profile')
    await expect(page.locator('dl > div').filter({ hasText: 'Total fine' })).toContainText('₹20')
    await expect(row(page, late[0]?.title ?? '')).toContainText('₹20')
    await expect(row(page, late[0]?.title ?? '')).toContainText('4 days overdue')
    for (const { title, fine } of loans) {
      if (fine === 0) await expect(row(page, title)).not.toContainText('overdue')
    }
    // Law 6: due date and fine are explained.
    const why = row(page, late[0]?.title ?? '').locator('details')
    await why.getByText('Why?').click()
    for (const step of late[0]?.explain ?? []) await expect(why).toContainText(step)
    const onTime = loans.find(({ fine }) => fine === 0)
    for (const action of ['Return', 'Extend 7 Days']) {
      const button = page.getByRole('button', { name: `${action}: ${late[0]?.title}` })
      await expect(button).toBeDisabled()
      await expect(button).toHaveAccessibleDescription(/fine of ₹20/)
      await expect(page.getByRole('button', { name: `${action}: ${onTime?.title}` })).toBeEnabled()
    }
    for (const action of ['return', 'extend']) {
      expect(await present(who).call('POST', `/loans/${late[0]?.id}/${action}`)).toMatchObject({
        status: 409,
        body: { code: 'loan-fined' },
      })
    }
  })

  test('R-LOAN-5 R-LOAN-6 a librarian sees the fine before any profile was opened, and is not blocked by it', async ({
    pageOf,
    library,
  }) => {
    const page = await pageOf(await library.librarian())
    await page.goto('fine?q=Arjun%20Nair')
    const late = row(page, 'overdue')
    await expect(late).toContainText('₹20')
    const extend = late.getByRole('button', { name: /^Extend 7 Days/ })
    await expect(extend).toBeEnabled()
    // Read once: the row of this loan, which its title identifies.
    const name = (await extend.getAttribute('aria-label'))?.split(': ')[1]?.split(',')[0] ?? ''
    await extend.click()
    await expectDone(page, 'Return date extended successfully.')
    await expect(row(page, 'overdue')).toHaveCount(0)

    const profile = await pageOf(await library.signIn('student@demo.library', 'demo-library'))
    await profile.goto('profile')
    await expect(heading(profile)).toHaveText('User Profile')
    await expect(profile.getByText('Total fine').locator('..')).toContainText('₹0')
    await expect(profile.getByRole('button', { name: `Return: ${name}` })).toBeEnabled()
  })
})
