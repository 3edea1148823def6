import type { Page } from '@playwright/test'
import type { BookForm } from '../src/api/types'
import { card, cardsPerRow, chooseStars, expectDone, expectRefused, heading, question, search } from './support/screens'
import { expect, present, test } from './support/test'

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

  test.describe('without any book', () => {
    test.use({ shelf: 'empty' })

    for (const path of ['books', 'delete']) {
      test(`R-HOME-5 /${path} says that there is no book yet`, async ({ page }) => {
        await page.goto(path)
        await expect(page.getByText('No books available. Please add some books!')).toBeVisible()
      })
    }
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
    await add(page)
    await expectDone(page, 'Book added successfully!')
    await expect(field(page, 'Title')).toHaveValue('')
    await page.getByRole('link', { name: book.title }).click()
    await expect(heading(page)).toHaveText(book.title)
    const id = Number(/\d+$/.exec(page.url())?.[0])
    expect(await library.book(id)).toMatchObject({ ...book, rating: 4 })
  })

  test('R-BOOK-2 what is missing is named at its field, and the first of them has the cursor', async ({ page }) => {
    await page.goto('add')
    await copies(page).fill('')
    await add(page)
    for (const name of ['Title', 'Author', 'Genre', 'Photo URL', 'Description', 'Location']) {
      await expect(field(page, name)).toHaveAccessibleDescription(new RegExp(`${name} is required.`))
    }
    await expect(copies(page)).toHaveAccessibleDescription(/Number of books/)
    await expect(page.getByText('Rating is required.')).toBeVisible()
    await expect(field(page, 'Title')).toBeFocused()
  })

  test('R-BOOK-2 a description has at least 200 characters, and a counter tells how far it is', async ({
    page,
    library,
  }) => {
    await page.goto('add')
    await fill(page, library.bookForm({ description: 'd'.repeat(199) }))
    await chooseStars(page, '5 stars')
    await expect(page.getByText('At least 200 characters, 1 to go')).toBeVisible()
    await add(page)
    await expect(page.getByText('Description must be at least 200 characters.')).toBeVisible()
    await expect(field(page, 'Description')).toBeFocused()
    await page.keyboard.press('End')
    await page.keyboard.type('d')
    await add(page)
    await expectDone(page, 'Book added successfully!')
  })

  test('R-BOOK-2 the photo is a web address, and there is at least one book', async ({ page, library }) => {
    await page.goto('add')
    await fill(page, library.bookForm({ photoURL: 'cover.jpg', noOfBooks: 0 }))
    await chooseStars(page, '1 star')
    await add(page)
    await expect(page.getByText('Photo URL must be a web address')).toBeVisible()
    await expect(page.getByText(/Number of books must be a whole number from 1/)).toBeVisible()
    await expect(field(page, 'Photo URL')).toBeFocused()
  })

  test('R-BOOK-2 the status is Available or Not Available', async ({ page }) => {
    await page.goto('add')
    await expect(field(page, 'Status').locator('option')).toHaveText(['Available', 'Not Available'])
  })

  test('R-BOOK-4 a save that fails says so, keeps every word, and can be sent again', async ({
    page,
    library,
    watch,
  }) => {
    watch.refuses(500)
    const book = library.bookForm()
    await page.goto('add')
    await fill(page, book)
    await chooseStars(page, '2 stars')
    // A server that works does not answer like that.
    await page.route('**/api/v1/books', (route) => route.fulfill({ status: 500, body: 'broken' }))
    await add(page)
    await expectRefused(page, 'Error adding book, please try again.')
    await watch.logged(/Error adding book/)
    await expect(field(page, 'Title')).toHaveValue(book.title)
    await expect(field(page, 'Description')).toHaveValue(book.description)
    await page.unroute('**/api/v1/books')
    await add(page)
    await expectDone(page, 'Book added successfully!')
  })

  test('R-BOOK-4 a double press adds one book', async ({ page, library }) => {
    const book = library.bookForm()
    await page.goto('add')
    await fill(page, book)
    await chooseStars(page, '3 stars')
    await page.getByRole('button', { name: 'Add Book' }).dblclick()
    await expectDone(page, 'Book added successfully!')
    const { body } = await library.call<{ total: number }>('GET', `/books?q=${encodeURIComponent(book.title)}`)
    expect(body.total).toBe(1)
  })

  test('what was typed survives a reload, and leaving asks first', async ({ page }) => {
    await page.goto('add')
    await field(page, 'Title').fill('Half a title')
    await expect.poll(() => page.evaluate(() => JSON.stringify(sessionStorage))).toContain('Half a title')
    page.once('dialog', (dialog) => void dialog.accept())
    await page.reload()
    await expect(field(page, 'Title')).toHaveValue('Half a title')
    await page.getByRole('navigation').getByRole('link', { name: 'Home' }).click()
    await expect(question(page)).toContainText('Leave without saving?')
    await question(page).getByRole('button', { name: 'Keep editing' }).click()
    await expect(page).toHaveURL(/\/add$/)
    await page.getByRole('navigation').getByRole('link', { name: 'Home' }).click()
    await question(page).getByRole('button', { name: 'Leave' }).click()
    await expect(page).toHaveURL(/\/home$/)
  })

  test('U22 a form whose draft came back starts at its top, with the heading below the bar', async ({ page }) => {
    await page.setViewportSize({ width: 1000, height: 500 })
    const top = () => page.evaluate(() => window.scrollY)
    const expectAtTop = async () => {
      await expect(page.getByText('We restored your unsaved changes.')).toBeVisible()
      await expect.poll(top).toBe(0)
      const [bar, title] = [await page.getByRole('banner').boundingBox(), await heading(page).boundingBox()]
      expect(title?.y).toBeGreaterThanOrEqual((bar?.y ?? 0) + (bar?.height ?? 0))
    }
    await page.goto('add')
    await field(page, 'Location').fill('Half a location')
    await expect.poll(top).toBeGreaterThan(0)
    await expect.poll(() => page.evaluate(() => JSON.stringify(sessionStorage))).toContain('Half a location')
    await page.getByRole('navigation').getByRole('link', { name: 'Home' }).click()
    await question(page).getByRole('button', { name: 'Leave' }).click()
    await expect(heading(page)).toHaveText('Books')
    await page.evaluate(() => window.scrollTo(0, 300))
    await page.getByRole('link', { name: 'Add New Book' }).evaluate((link: HTMLElement) => link.click())
    await expectAtTop()

    page.once('dialog', (dialog) => void dialog.accept())
    await page.reload()
    await expectAtTop()
  })

  test('the cover is shown while its address is typed', async ({ page, library }) => {
    await page.goto('add')
    await field(page, 'Photo URL').fill(`${library.origin}/library/covers/2.svg`)
    await expect(page.getByRole('img', { name: 'Cover as readers will see it' })).toBeVisible()
    await expect(page.getByText('This is how readers will see the cover.')).toBeVisible()
  })
})

test.describe('Update Book Details', () => {
  test('R-BOOK-2 R-BOOK-3 R-BOOK-4 the form loads the book, asks for no rating, and saves', async ({
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
    await field(page, 'Author').fill('Somebody Else')
    await field(page, 'Status').selectOption('Not Available')
    await update(page)
    await expectDone(page, 'Book updated successfully!')
    expect(await library.book(book.id)).toMatchObject({
      author: 'Somebody Else',
      status: 'Not Available',
      noOfBooks: 3,
      rating: 2,
    })
  })

  for (const id of ['999999', '0', 'abc']) {
    test(`R-BOOK-3 /update/${id} names no book and leads to /home`, async ({ page, watch }) => {
      watch.refuses(404)
      await page.goto(`update/${id}`)
      await expect(page).toHaveURL(/\/home$/)
      await expect(heading(page)).toHaveText('Books')
    })
  }

  test('R-BOOK-2 the same rules hold for an update', async ({ page, library }) => {
    const book = await library.addBook()
    await page.goto(`update/${book.id}`)
    await field(page, 'Title').fill('   ')
    await field(page, 'Description').fill('too short')
    await update(page)
    await expect(field(page, 'Title')).toHaveAccessibleDescription(/Title is required./)
    await expect(page.getByText('Description must be at least 200 characters.')).toBeVisible()
    expect((await library.book(book.id)).title).toBe(book.title)
  })

  test('R-BOOK-4 an update that fails says so and keeps every word', async ({ page, library, watch }) => {
    watch.refuses(500)
    const book = await library.addBook()
    await page.goto(`update/${book.id}`)
    await field(page, 'Location').fill('Annex, shelf Z9')
    // A server that works does not answer like that.
    await page.route('**/api/v1/books/*', (route) =>
      route.request().method() === 'PUT' ? route.fulfill({ status: 500, body: 'broken' }) : route.fallback(),
    )
    await update(page)
    await expectRefused(page, 'Error updating book, please try again.')
    await watch.logged(/Error updating book/)
    await expect(field(page, 'Location')).toHaveValue('Annex, shelf Z9')
  })

  test('R-BOOK-5 the server itself refuses what the form would, and names the field', async ({ library, who }) => {
    const book = await library.addBook()
    const wrong = { ...library.bookForm(), title: ' ', description: 'short', photoURL: 'no', noOfBooks: 0, rating: 6 }
    const answer = await present(who).call<{ errors: { field: string }[] }>('POST', '/books', wrong)
    expect(answer.status).toBe(422)
    expect(answer.body.errors.map(({ field: name }) => name).toSorted()).toEqual(
      ['description', 'noOfBooks', 'photoURL', 'rating', 'title'].toSorted(),
    )
    const unnamed = await present(who).call('PUT', `/books/${book.id}`, library.bookForm())
    expect(unnamed.status).toBe(428)
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
    const panel = second.getByRole('region', { name: 'Somebody else saved this book while you were editing' })
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

  test('R-BOOK-8 a number that is 0 because every copy is lent may be saved unchanged', async ({ page, library }) => {
    const book = await library.addBook({ noOfBooks: 1 })
    await (await library.student()).borrow(book.id)
    await page.goto(`update/${book.id}`)
    await expect(copies(page)).toHaveValue('0')
    await field(page, 'Location').fill('Repair desk')
    await update(page)
    await expectDone(page, 'Book updated successfully!')
    expect(await library.book(book.id)).toMatchObject({ noOfBooks: 0, location: 'Repair desk' })
  })

  test('by keyboard alone: the form is filled by Tab and saved by Ctrl and Enter', async ({ page, library }) => {
    const book = await library.addBook()
    await page.goto(`update/${book.id}`)
    await field(page, 'Title').focus()
    await page.keyboard.press('Tab')
    await expect(field(page, 'Author')).toBeFocused()
    await page.keyboard.press('ControlOrMeta+A')
    await page.keyboard.type('Typed Quickly')
    await page.keyboard.press('Control+Enter')
    await expectDone(page, 'Book updated successfully!')
    expect((await library.book(book.id)).author).toBe('Typed Quickly')
  })
})

test.describe('awkward titles', () => {
  for (const [kind, title] of [
    ['of 900 characters', 'A very long title '.repeat(50)],
    ['of 900 characters without a space', 'Donaudampfschifffahrt'.repeat(43)],
    ['from right to left', 'ألف ليلة وليلة: الجزء الأول (2)'],
  ] as const) {
    test(`a title ${kind} fits every list, form and question`, async ({ page, library }) => {
      const { id, title: stored } = await library.addBook({ title: `${title} ${Date.now()}`.slice(-900) })
      const q = encodeURIComponent(stored.slice(-150).trim())
      for (const path of [`home?q=${q}`, `books?q=${q}`, `delete?q=${q}`, `book-detail/${id}`, `update/${id}`]) {
        await page.goto(path)
        if (path.startsWith('update')) await expect(field(page, 'Title')).toHaveValue(stored)
        else await expect(page.getByText(stored).first()).toBeVisible()
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
        expect(overflow, path).toBeLessThanOrEqual(0)
      }
      await page.goto(`delete?q=${q}`)
      await page.getByRole('button', { name: /^Delete/ }).click()
      await expect(question(page)).toBeInViewport({ ratio: 1 })
      await question(page).getByRole('button', { name: 'Cancel' }).click()
    })
  }
})
