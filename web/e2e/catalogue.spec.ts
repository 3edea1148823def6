import type { Page } from '@playwright/test'
import type { BookForm } from '../src/api/types'
import { card, cardsPerRow, chooseStars, expectDone, expectRefused, heading, question, search } from './support/screens'
import { expect, test } from './support/test'
import { expectNoSidewaysScroll } from './support/accessible'

test.use({ as: 'librarian' })

const field = (page: Page, name: string) => page.getByLabel(name, { exact: true })
const copies = (page: Page) => field(page, 'Number of books')

async function fill(page: Page, book: BookForm): Promise<void> {
  await field(page, 'Title').fill(book.title)
  await field(page, 'Author').fill(book.author)
  await field(page, 'Genre').fill(book.genre)
  await field(page, 'Photo URL').fill(book.photoURL)
  await field(page, 'Description').fill(book.description)
  await copies(page).fill(String(book.noOfBooks))
  await field(page, 'Location').fill(book.location)
  await field(page, 'Status').selectOption(book.status)
}

const add = (page: Page) => page.getByRole('button', { name: 'Add Book' }).click()
const update = (page: Page) => page.getByRole('button', { name: 'Update Book' }).click()

test.describe('the lists', () => {
  test('R-BOOK-1 All Books shows three in a row, finds by title or author, and has an Update link per book', async ({
    page,
    library,
  }) => {
    const book = await library.addBook({ author: 'Xanthe Quill' })
    await page.goto('books')
    await expect(heading(page)).toHaveText('All Books')
    expect(await cardsPerRow(page)).toBe(3)
    await search(page).fill('xanthe QUILL')
    await expect(card(page, book.title)).toBeVisible()
    await search(page).fill(book.title.toLowerCase())
    await expect(page.getByRole('article')).toHaveCount(1)
    await card(page, book.title)
      .getByRole('link', { name: `Update ${book.title}` })
      .click()
    await expect(page).toHaveURL(new RegExp(`/update/${book.id}$`))
    await expect(heading(page)).toHaveText('Update Book Details')
  })

  test('R-BOOK-1 Delete Books shows three in a row, finds by title alone, and has a Delete button per book', async ({
    page,
    library,
  }) => {
    const book = await library.addBook({ author: 'Yolanda Crisp' })
    await page.goto('delete')
    await expect(heading(page)).toHaveText('Delete Books')
    expect(await cardsPerRow(page)).toBe(3)
    await search(page).fill('yolanda crisp')
    await expect(page.getByText('No book matches “yolanda crisp”.')).toBeVisible()
    await search(page).fill(book.title)
    await page.getByRole('button', { name: `Delete ${book.title}` }).click()
    await question(page).getByRole('button', { name: 'Delete' }).click()
    await expectDone(page, 'has been deleted.')
    await expect(card(page, book.title)).toHaveCount(0)
  })

  test('R-BOOK-6 a deleted book takes its reviews along, while its loan stays and can be returned', async ({
    page,
    pageOf,
    library,
  }) => {
    const student = await library.student()
    const book = await library.addBook()
    await student.review(book.id, { rating: 4, comment: 'Sturdy.' })
    await student.borrow(book.id)
    await page.goto(`delete?q=${encodeURIComponent(book.title)}`)
    await page.getByRole('button', { name: `Delete ${book.title}` }).click()
    await expect(question(page)).toContainText('reviews')
    await question(page).getByRole('button', { name: 'Delete' }).click()
    await expectDone(page, 'has been deleted.')
    expect((await library.call('GET', `/books/${book.id}/reviews`)).status).toBe(404)

    const profile = await pageOf(student)
    await profile.goto('profile')
    await expect(profile.getByRole('row').filter({ hasText: book.title })).toBeVisible()
    await profile.getByRole('button', { name: `Return: ${book.title}` }).click()
    await question(profile).getByRole('button', { name: 'Return' }).click()
    await expectDone(profile, 'Book returned successfully.')
    expect(await student.loans()).toEqual([])
  })
})

test.describe('Add New Book', () => {
  test('R-BOOK-2 R-BOOK-4 a book with everything is added, and the form is ready for the next', async ({
    page,
    library,
  }) => {
    const book = library.bookForm({ title: 'Weights and Measures of the Sea', noOfBooks: 5 })
    await page.goto('add')
    await expect(page).toHaveTitle('Add New Book · My Library')
    await fill(page, book)
    await chooseStars(page, '4 stars')
    await expect(page.getByRole('img', { name: 'Cover as readers will see it' })).toBeVisible()
    await expect(page.getByText('This is how readers will see the cover.')).toBeVisible()
    await add(page)
    await expectDone(page, 'Book added successfully!')
    await expect(field(page, 'Title')).toHaveValue('')
    await page.getByRole('link', { name: book.title }).click()
    await expect(heading(page)).toHaveText(book.title)
    const id = Number(/\d+$/.exec(page.url())?.[0])
    expect(await library.book(id)).toMatchObject({ ...book, rating: 4 })
  })

  test('U22 what was typed survives a reload, leaving asks first, and the form starts at its top, with the heading below the bar', async ({
    page,
  }) => {
    await page.setViewportSize({ width: 1000, height: 500 })
    const top = () => page.evaluate(() => window.scrollY)
    const expectAtTop = async () => {
      await expect(page.getByText('We restored your unsaved changes.')).toBeVisible()
      await expect.poll(top).toBe(0)
      await expect(async () => {
        const [bar, title] = [await page.getByRole('banner').boundingBox(), await heading(page).boundingBox()]
        expect(title?.y).toBeGreaterThanOrEqual((bar?.y ?? 0) + (bar?.height ?? 0))
      }).toPass()
    }
    await page.goto('add')
    await field(page, 'Location').fill('Half a location')
    await expect.poll(top).toBeGreaterThan(0)
    await expect.poll(() => page.evaluate(() => JSON.stringify(sessionStorage))).toContain('Half a location')
    await page.getByRole('navigation').getByRole('link', { name: 'Home' }).click()
    await expect(question(page)).toContainText('Leave without saving?')
    await question(page).getByRole('button', { name: 'Keep editing' }).click()
    await expect(page).toHaveURL(/\/add$/)
    await page.getByRole('navigation').getByRole('link', { name: 'Home' }).click()
    await question(page).getByRole('button', { name: 'Leave' }).click()
    await expect(heading(page)).toHaveText('Books')
    await page.evaluate(() => window.scrollTo(0, 300))
    await page.getByRole('link', { name: 'Add New Book' }).evaluate((link: HTMLElement) => link.click())
    await expectAtTop()

    page.once('dialog', (dialog) => void dialog.accept())
    await page.reload()
    await expectAtTop()
    await expect(field(page, 'Location')).toHaveValue('Half a location')
  })
})

test.describe('Update Book Details', () => {
  test('R-BOOK-2 R-BOOK-3 R-BOOK-4 the form loads the book, asks for no rating, and saves by the keyboard alone', async ({
    page,
    library,
  }) => {
    const book = await library.addBook({ status: 'Available', rating: 2 })
    await page.goto(`update/${book.id}`)
    await expect(field(page, 'Title')).toHaveValue(book.title)
    await expect(field(page, 'Author')).toHaveValue(book.author)
    await expect(field(page, 'Genre')).toHaveValue(book.genre)
    await expect(field(page, 'Photo URL')).toHaveValue(book.photoURL)
    await expect(field(page, 'Description')).toHaveValue(book.description)
    await expect(copies(page)).toHaveValue('3')
    await expect(field(page, 'Location')).toHaveValue(book.location)
    await expect(field(page, 'Status')).toHaveValue('Available')
    await expect(page.getByRole('radio')).toHaveCount(0)
    await field(page, 'Status').selectOption('Not Available')
    await field(page, 'Title').focus()
    await page.keyboard.press('Tab')
    await expect(field(page, 'Author')).toBeFocused()
    await page.keyboard.press('ControlOrMeta+A')
    await page.keyboard.type('Somebody Else')
    await page.keyboard.press('Control+Enter')
    await expectDone(page, 'Book updated successfully!')
    expect(await library.book(book.id)).toMatchObject({
      author: 'Somebody Else',
      status: 'Not Available',
      noOfBooks: 3,
      rating: 2,
    })
  })

  test('R-BOOK-7 two librarians edit one book: the second is told, chooses, and nothing is overwritten unseen', async ({
    page,
    pageOf,
    library,
    watch,
  }) => {
    watch.refuses(412)
    const book = await library.addBook()
    const second = await pageOf(await library.librarian())
    await page.goto(`update/${book.id}`)
    await second.goto(`update/${book.id}`)
    await field(page, 'Location').fill('First floor')
    await field(second, 'Location').fill('Second floor')
    await field(second, 'Genre').fill('Travel')

    await update(page)
    await expectDone(page, 'Book updated successfully!')
    await update(second)
    const panel = second.getByRole('region', { name: 'This book was saved elsewhere while you were editing' })
    await expect(panel).toBeVisible()
    await expect(panel.getByRole('heading', { level: 2 })).toBeFocused()
    await expect(panel.getByRole('group', { name: 'Location' })).toContainText('First floor')
    await expect(panel.getByRole('group', { name: 'Location' })).toContainText('Second floor')
    expect(await library.book(book.id)).toMatchObject({ location: 'First floor', genre: book.genre })

    await panel
      .getByRole('group', { name: 'Location' })
      .getByRole('radio', { name: /First floor/ })
      .check()
    await expect(field(second, 'Location')).toHaveValue('First floor')
    await panel.getByRole('button', { name: 'Save again' }).click()
    await expectDone(second, 'Book updated successfully!')
    expect(await library.book(book.id)).toMatchObject({ location: 'First floor', genre: 'Travel' })
  })

  test('R-BOOK-7 an edit of a book that somebody deleted loses no word', async ({ page, library, watch }) => {
    watch.refuses(404)
    const book = await library.addBook()
    await page.goto(`update/${book.id}`)
    await field(page, 'Title').fill('The Title I Typed')
    await library.deleteBook(book.id)
    await update(page)
    await expectRefused(page, 'Somebody deleted this book while you were editing.')
    await expect(field(page, 'Title')).toHaveValue('The Title I Typed')
    await page.getByRole('button', { name: 'Add it as a new book' }).click()
    await expect(page).toHaveURL(/\/add$/)
    await expect(field(page, 'Title')).toHaveValue('The Title I Typed')
  })

  test('R-BOOK-8 a copy that is borrowed meanwhile is not overwritten: the number counts as a difference', async ({
    page,
    library,
  }) => {
    const book = await library.addBook({ noOfBooks: 3 })
    await page.goto(`update/${book.id}`)
    await expect(copies(page)).toHaveValue('3')
    await (await library.student()).borrow(book.id)
    expect((await library.book(book.id)).noOfBooks).toBe(2)
    await copies(page).fill('5')
    await update(page)
    await expectDone(page, 'Book updated successfully!')
    expect((await library.book(book.id)).noOfBooks).toBe(4)
  })
})

test('titles of 900 characters, with and without a space, and from right to left fit every list, form and question', async ({
  page,
  library,
}) => {
  test.slow()
  const stamp = String(Date.now())
  const books = []
  for (const title of [
    'A very long title '.repeat(50),
    'Donaudampfschifffahrt'.repeat(43),
    'ألف ليلة وليلة: الجزء الأول (2)',
  ]) {
    books.push(await library.addBook({ title: `${title} ${stamp}`.slice(-900) }))
  }
  for (const path of [`home?q=${stamp}`, `books?q=${stamp}`, `delete?q=${stamp}`]) {
    await page.goto(path)
    for (const { title } of books) await expect(page.getByText(title).first()).toBeVisible()
    await expectNoSidewaysScroll(page, path)
  }
  for (const { title } of books) {
    await page.getByRole('article').filter({ hasText: title }).getByRole('button').click()
    await expect(question(page)).toContainText(title)
    await expect(question(page)).toBeInViewport({ ratio: 1 })
    await question(page).getByRole('button', { name: 'Cancel' }).click()
    await expect(question(page)).toHaveCount(0)
  }
  for (const { id, title } of books) {
    await page.goto(`book-detail/${id}`)
    await expect(page.getByText(title).first()).toBeVisible()
    await expectNoSidewaysScroll(page, `book-detail/${id}`)
    await page.goto(`update/${id}`)
    await expect(field(page, 'Title')).toHaveValue(title)
    await expectNoSidewaysScroll(page, `update/${id}`)
  }
})
