import { card, cardsPerRow, expectDone, expectRefused, heading, question, search } from './support/screens'
import { expectAccessible } from './support/accessible'
import { expect, test } from './support/test'

test.use({ as: 'librarian' })

test('R-HOME-1 the brand leads to /fine, and Home, Update, Delete and Logout are beside it', async ({ page }) => {
  await page.goto('home')
  const bar = page.getByRole('navigation', { name: 'Main' })
  for (const [name, target] of [
    ['My Library', 'fine'],
    ['Home', 'home'],
    ['Update', 'books'],
    ['Delete', 'delete'],
  ] as const) {
    await expect(bar.getByRole('link', { name, exact: true })).toHaveAttribute('href', `/library/${target}`)
  }
  await expect(bar.getByRole('link', { name: 'Home' })).toHaveAttribute('aria-current', 'page')
  await expect(page.getByRole('main').getByRole('link', { name: 'Add New Book' })).toHaveAttribute(
    'href',
    '/library/add',
  )
  // Pending requests would be refused.
  await expect(page.getByRole('article').first()).toBeVisible()
  await expect(bar.getByRole('link', { name: /^\d+ overdue$/ })).toBeVisible()
  await expect(page.getByText('To do today')).toBeVisible()
  await expect(page.locator('[aria-busy="true"]')).toHaveCount(0)
  await bar.getByRole('button', { name: 'Logout' }).click()
  await expect(page).toHaveURL(/\/login$/)
})

test('R-HOME-1 on a slow computer, no screen asks for anything after the Logout', async ({ page }) => {
  await page.goto('home')
  await expect(page.getByText('To do today')).toBeVisible()
  await expect(page.locator('[aria-busy="true"]')).toHaveCount(0)
  const refused: string[] = []
  page.on('response', (answer) => {
    if (answer.status() === 401) refused.push(answer.url())
  })
  const slow = await page.context().newCDPSession(page)
  await slow.send('Emulation.setCPUThrottlingRate', { rate: 6 })
  await page.getByRole('button', { name: 'Logout' }).click({ timeout: 30_000 })
  await expect(page.getByLabel('Email')).toBeVisible({ timeout: 30_000 })
  await slow.send('Emulation.setCPUThrottlingRate', { rate: 1 })
  // What would still be asked for is answered by then.
  await page.getByLabel('Email').fill('asha@college.example')
  await expect(page.getByLabel('Email')).toHaveValue('asha@college.example')
  expect(refused).toEqual([])
})

test('R-HOME-2 the search finds any part of a title or an author in any case, and the address keeps it', async ({
  page,
  library,
}) => {
  const byTitle = await library.addBook({ title: 'The Zephyrine Alphabet' })
  const byAuthor = await library.addBook({ author: 'Ottoline Zephyrson' })
  const other = await library.addBook()
  await page.goto('home')
  await search(page).fill('zEPHYR')
  await expect(card(page, byTitle.title)).toBeVisible()
  await expect(card(page, byAuthor.title)).toBeVisible()
  await expect(card(page, other.title)).toHaveCount(0)
  await expect(page).toHaveURL(/\?q=zEPHYR$/)
  await expect(page.getByRole('status').filter({ hasText: '2 books match' })).toBeVisible()
  // R-SHELL-5: a search survives a reload and can be shared as a link.
  await page.reload()
  await expect(search(page)).toHaveValue('zEPHYR')
  await expect(card(page, byTitle.title)).toBeVisible()
  await search(page).press('Escape')
  await expect(search(page)).toHaveValue('')
  await expect(page).toHaveURL(/\/home$/)
})

test('R-HOME-3 six cards stand in a row at 1440 pixels, each with photo, title, author, genre, stars, Update and Delete', async ({
  page,
  library,
}) => {
  const book = await library.addBook({ title: 'Quincunx of Cards', author: 'Ila Sen', genre: 'Puzzles', rating: 3 })
  await page.goto('home')
  expect(await cardsPerRow(page)).toBe(6)
  await search(page).fill(book.title)
  const own = card(page, book.title)
  await expect(own.locator('img')).toHaveJSProperty('complete', true)
  await expect(own.locator('img')).not.toHaveJSProperty('naturalWidth', 0)
  await expect(own).toContainText('Ila Sen')
  await expect(own).toContainText('Puzzles')
  await expect(own.getByRole('img', { name: 'Librarian’s rating: 3 out of 5' })).toBeVisible()
  await expect(own.getByRole('link', { name: `Update ${book.title}` })).toHaveText('Update')
  await expect(own.getByRole('button', { name: `Delete ${book.title}` })).toHaveText('Delete')
  await own.getByRole('link', { name: `Update ${book.title}` }).click()
  await expect(page).toHaveURL(new RegExp(`/update/${book.id}$`))

  // A failed picture is replaced by the drawn cover, never by a gap.
  const bare = await library.addBook({ photoURL: `${library.origin}/library/start.js` })
  await page.goto(`home?q=${encodeURIComponent(bare.title)}`)
  await expect(card(page, bare.title).locator('img')).toHaveAttribute('src', `/library/covers/${bare.id}.svg`)
})

test('R-HOME-4 U1 W12 a double click, a click anywhere on the card, and Enter on the link open the book', async ({
  page,
  library,
}) => {
  const book = await library.addBook()
  const home = `home?q=${encodeURIComponent(book.title)}`
  const detail = new RegExp(`/book-detail/${book.id}$`)

  // The title's link covers the whole card.
  await page.goto(home)
  await card(page, book.title).getByText(book.author).dblclick({ force: true })
  await expect(page).toHaveURL(detail)
  await expect(heading(page)).toHaveText(book.title)

  await page.goBack()
  await card(page, book.title).locator('img').click({ force: true })
  await expect(page).toHaveURL(detail)

  await page.goBack()
  const link = page.getByRole('link', { name: book.title, exact: true })
  await link.focus()
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(detail)

  await page.goBack()
  await link.click()
  await expect(page).toHaveURL(detail)
})

test('by keyboard alone: / searches, the arrows move between books, Enter opens', async ({ page, library }) => {
  const number = Date.now()
  const books = []
  for (const place of [1, 2, 3, 4, 5, 6, 7, 8])
    books.push(await library.addBook({ title: `Shelf ${number} row ${place}` }))
  await page.goto('home')
  await expect(page.getByRole('article').first()).toBeVisible()
  await page.keyboard.press('/')
  await expect(search(page)).toBeFocused()
  await page.keyboard.type(`shelf ${number}`)
  await expect(page.getByRole('article')).toHaveCount(8)
  const link = (place: number) => page.getByRole('link', { name: `Shelf ${number} row ${place}`, exact: true })
  await page.keyboard.press('ArrowDown')
  await expect(link(1)).toBeFocused()
  await page.keyboard.press('ArrowRight')
  await expect(link(2)).toBeFocused()
  await page.keyboard.press('ArrowDown')
  await expect(link(8)).toBeFocused()
  await page.keyboard.press('ArrowUp')
  await expect(link(2)).toBeFocused()
  await page.keyboard.press('ArrowLeft')
  await expect(link(1)).toBeFocused()
  await page.keyboard.press('End')
  await expect(link(8)).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(new RegExp(`/book-detail/${books[7]?.id}$`))
})

test('Delete asks first, names the book, and only the answer deletes it', async ({ page, library }) => {
  const book = await library.addBook()
  await page.goto(`home?q=${encodeURIComponent(book.title)}`)
  const remove = page.getByRole('button', { name: `Delete ${book.title}` })
  await remove.click()
  await expect(question(page)).toContainText(book.title)
  await expect(question(page).getByRole('button', { name: 'Cancel' })).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(question(page)).toHaveCount(0)
  await expect(remove).toBeFocused()
  await page.keyboard.press('Enter')
  await question(page).getByRole('button', { name: 'Cancel' }).click()
  await expect(card(page, book.title)).toBeVisible()
  await remove.click()
  await question(page).getByRole('button', { name: 'Delete' }).click()
  await expectDone(page, 'has been deleted.')
  await expect(card(page, book.title)).toHaveCount(0)
  await expect(library.book(book.id)).rejects.toThrow('404')
  // R-UNDO-1: the wrong one of two was deleted.
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(card(page, book.title)).toBeVisible()
  expect((await library.book(book.id)).title).toBe(book.title)
})

test('R-HOME-6 a delete that fails says so, is logged, and the list is still there', async ({
  page,
  library,
  watch,
}) => {
  watch.refuses(404)
  const book = await library.addBook()
  await page.goto(`home?q=${encodeURIComponent(book.title)}`)
  await page.getByRole('button', { name: `Delete ${book.title}` }).click()
  // Another librarian is faster.
  await library.deleteBook(book.id)
  await question(page).getByRole('button', { name: 'Delete' }).click()
  await expectRefused(page, 'Error deleting book, please try again.')
  await watch.logged(/Error deleting book/)
  await expect(heading(page)).toHaveText('Books')
})

test('L26 the catalogue as a list: copies, shelf and queue in rows, sorted, remembered, and without a violation', async ({
  page,
  library,
}) => {
  const book = await library.addBook({ title: 'Zzz Kept in Rows', author: 'A. A. First', noOfBooks: 1 })
  const [reader, next] = [await library.student(), await library.student()]
  await reader.borrow(book.id)
  await next.ask('POST', `/books/${book.id}/holds`, {})
  await page.goto('home?q=Kept+in+Rows')
  await page.getByRole('button', { name: 'List', exact: true }).click()
  const table = page.getByRole('table', { name: 'Books' })
  const line = table.getByRole('row').filter({ hasText: book.title })
  await expect(line.getByRole('cell')).toHaveText(['A. A. First', book.location, '0', '1', '1'])
  await expectAccessible(page, 'the catalogue as a list')
  await page.goto('home')
  await table.getByRole('link', { name: 'Author' }).click()
  await expect(page).toHaveURL(/sort=author/)
  await expect(table.getByRole('columnheader', { name: 'Author' })).toHaveAttribute('aria-sort', 'ascending')
  await expect(table.getByRole('row').nth(1)).toContainText('A. A. First')
  await page.getByRole('button', { name: 'Covers', exact: true }).click()
  await expect(card(page, book.title)).toBeVisible()
})
