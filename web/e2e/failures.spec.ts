import { expectDone, expectRefused, question, row, search } from './support/screens'
import { expect, present, test } from './support/test'

test.describe('a student', () => {
  test.use({ as: 'student' })

  test('R-FAIL-1 a return of a loan that has already ended is logged and said, and the list is right again', async ({
    page,
    library,
    watch,
    who,
  }) => {
    watch.refuses(404)
    const book = await library.addBook()
    const loan = await present(who).borrow(book.id)
    await page.goto('profile')
    await page.getByRole('button', { name: `Return: ${book.title}` }).click()
    // A librarian returns the book at the same moment.
    await (await library.librarian()).ask('POST', `/loans/${loan.id}/return`, {})
    await question(page).getByRole('button', { name: 'Return' }).click()
    await expectRefused(page, 'This loan has already ended.')
    await watch.logged(/The book could not be returned/)
    await expect(page.getByText('You have no borrowed books.')).toBeVisible()
    expect((await library.book(book.id)).noOfBooks).toBe(2)
  })

  test('R-FAIL-1 an extension that does not arrive is logged and said, and the date stays', async ({
    page,
    library,
    watch,
    who,
  }) => {
    watch.excuse(/ERR_FAILED/)
    const book = await library.addBook()
    const loan = await present(who).borrow(book.id)
    await page.goto('profile')
    await expect(row(page, book.title)).toBeVisible()
    await page.route('**/loans/*/extend', (route) => route.abort())
    await page.getByRole('button', { name: `Extend 7 Days: ${book.title}` }).click()
    await expectRefused(page, 'It is not known whether this was done. The library cannot be reached.')
    await watch.logged(/The return date could not be extended/)
    await page.unroute('**/loans/*/extend')
    expect(await present(who).loans()).toMatchObject([{ returnDate: loan.returnDate }])
    const extend = page.getByRole('button', { name: `Extend 7 Days: ${book.title}` })
    await expect(extend).toBeEnabled()
    await extend.click()
    await expectDone(page, 'Return date extended successfully.')
  })

  test('words typed faster than the server answers find what was typed last', async ({ page, library }) => {
    const one = await library.addBook({ title: `Slow ${Date.now()} alpha` })
    const two = await library.addBook({ title: `Slow ${Date.now()} omega` })
    let held: (() => void) | undefined
    // The real server is never slower than the next key: the first answer is delayed until after the second.
    await page.route(/\/api\/v1\/books\?.*alpha/, async (route) => {
      await new Promise<void>((release) => {
        held = release
      })
      await route.fallback().catch(() => undefined)
    })
    await page.goto('student-home')
    await search(page).fill('alpha')
    await expect.poll(() => held).toBeDefined()
    await search(page).fill(two.title)
    await expect(page.getByRole('article')).toHaveCount(1)
    held?.()
    await expect(page.getByRole('link', { name: two.title, exact: true })).toBeVisible()
    await expect(page.getByRole('link', { name: one.title, exact: true })).toHaveCount(0)
  })
})

test.describe('when the server is gone', () => {
  test.use({ as: 'librarian', shelf: 'fresh' })

  test('R-FAIL-1 the queue stays on the screen, and an action says that the library cannot be reached', async ({
    page,
    library,
    watch,
  }) => {
    watch.excuse(/ERR_CONNECTION_REFUSED|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE|ERR_INCOMPLETE_CHUNKED_ENCODING/)
    // Chunks that are loaded when the browser is idle.
    watch.excuse(/Loading chunk [a-z-]+ failed/)
    await page.goto('fine')
    const first = page.getByRole('button', { name: /^Extend 7 Days/ }).first()
    await expect(first).toBeEnabled()
    await library.stop()
    await first.click()
    await expectRefused(page, 'It is not known whether this was done. The library cannot be reached.')
    await watch.logged(/could not be extended/)
    await expect(page.getByRole('rowheader').first()).toBeVisible()
  })
})
