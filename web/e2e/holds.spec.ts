import type { Hold } from '../src/api/types'
import type { Library, Person } from './support/library'
import { expectDone, expectRefused, libraryDay, question, row } from './support/screens'
import { expect, present, test } from './support/test'

/** Creates a book whose only copy is on loan. */
async function lentOut(
  library: Library,
): Promise<{ book: { id: number; title: string }; reader: Person; loan: number }> {
  const book = await library.addBook({ noOfBooks: 1 })
  const reader = await library.student()
  const loan = await reader.borrow(book.id)
  return { book, reader, loan: loan.id }
}

const reserve = (person: Person, book: number) => person.ask<Hold>('POST', `/books/${book}/holds`)

test.describe('a student', () => {
  test.use({ as: 'student' })

  test('R-HOLD-1 reserves a book that is out, sees the place and when a copy should be back, and cancels', async ({
    page,
    library,
  }) => {
    const { book } = await lentOut(library)
    await page.goto(`stubook-detail/${book.id}`)
    await expect(page.getByRole('button', { name: 'Not Available' })).toBeDisabled()
    await expect(page.getByText(`You would be first in line · a copy should be back by ${libraryDay(7)}`)).toBeVisible()
    // What can be pressed is larger than what cannot.
    const height = async (name: string) => (await page.getByRole('button', { name }).boundingBox())?.height ?? 0
    await expect.poll(async () => (await height('Reserve')) - (await height('Not Available'))).toBeGreaterThan(0)
    await page.getByRole('button', { name: 'Reserve' }).click()
    await expectDone(page, 'is reserved')
    const mine = page.getByText(`You are first in line · a copy should be back by ${libraryDay(7)}`)
    await expect(mine).toBeVisible()
    await expect(mine, 'the keyboard stays with what is said').toBeFocused()
    await page.getByRole('button', { name: 'Cancel reservation' }).press('Enter')
    await question(page).getByRole('button', { name: 'Cancel reservation' }).press('Enter')
    await expectDone(page, 'Reservation cancelled.')
    await expect(page.getByRole('button', { name: 'Reserve' }), 'and with what can be done next').toBeFocused()
    await page.getByRole('button', { name: 'Reserve' }).press('Enter')
    await expect(mine).toBeVisible()

    await reserve(await library.student(), book.id)
    await page.goto('profile')
    const holds = page.getByRole('region', { name: 'My reservations' })
    await expect(row(page, book.title)).toContainText('You are first in line')
    await holds.getByRole('button', { name: `Cancel reservation: ${book.title}` }).click()
    await question(page).getByRole('button', { name: 'Cancel reservation' }).click()
    await expectDone(page, 'Reservation cancelled.')
    await expect(holds.getByText('You have no reservations at the moment.')).toBeVisible()
    await holds.getByText('2 earlier reservations').click()
    await expect(holds.getByText(/^Cancelled · reserved on/)).toHaveCount(2)
  })

  test('R-HOLD-2 borrows the copy that is kept, which nobody else can', async ({ page, library, who, pageOf }) => {
    const { book, loan } = await lentOut(library)
    await reserve(present(who), book.id)
    const other = await library.student()
    await reserve(other, book.id)
    const desk = await library.librarian()
    await desk.ask('POST', `/loans/${loan}/return`, { restock: true })

    const theirs = await pageOf(other)
    await theirs.goto(`stubook-detail/${book.id}`)
    await expect(theirs.getByText('You are first in line')).toBeVisible()
    await expect(theirs.getByRole('button', { name: 'Not Available' })).toBeDisabled()

    await page.goto(`stubook-detail/${book.id}`)
    await expect(page.getByText('A copy is kept for you at the library until')).toBeVisible()
    await page.getByRole('button', { name: 'Borrow' }).click()
    await expect(page).toHaveURL(/student-home/)
    await page.goto('profile')
    await expect(page.getByRole('table', { name: 'Borrowed books' }).getByText(book.title)).toBeVisible()
    await expect(
      page.getByRole('region', { name: 'My reservations' }).getByText('You have no reservations'),
    ).toBeVisible()
  })

  test('R-HOLD-2 who returns a book that others wait for is asked to hand it in', async ({ page, library, who }) => {
    const book = await library.addBook({ noOfBooks: 1 })
    await present(who).borrow(book.id)
    const next = await library.student()
    await reserve(next, book.id)
    await page.goto('profile')
    await page.getByRole('button', { name: `Return: ${book.title}` }).click()
    await question(page).getByRole('button', { name: 'Return' }).click()
    await expectDone(page, 'Others are waiting for it')
    const { holds } = await next.ask<{ holds: Hold[] }>('GET', '/me/holds')
    expect(holds[0]?.state, 'nothing is promised before the desk has seen it').toBe('processing')
  })

  test('a hold that a copy has just made needless says where the copy is', async ({ page, library, watch }) => {
    watch.excuse(/409/)
    const { book, loan } = await lentOut(library)
    await page.goto(`stubook-detail/${book.id}`)
    await expect(page.getByRole('button', { name: 'Reserve' })).toBeVisible()
    const desk = await library.librarian()
    await desk.ask('POST', `/loans/${loan}/return`, { restock: true })
    await page.getByRole('button', { name: 'Reserve' }).click()
    await expectRefused(page, 'A copy is on the shelf. No need to wait: take it from Main hall, shelf B2.')
    await expect(page.getByRole('button', { name: 'Borrow' })).toBeEnabled()
  })
})

test.describe('a librarian', () => {
  test.use({ as: 'librarian' })

  test('R-HOLD-2 is told for whom a returned copy is kept, and prints its slip', async ({ page, library }) => {
    const { book, reader } = await lentOut(library)
    const next = await library.student({ name: 'Bala Krishnan' })
    await reserve(next, book.id)
    await page.goto(`fine?q=${reader.user.rollNumber}`)
    await page.getByRole('button', { name: /^Return and restock/ }).click()
    await question(page).getByRole('button', { name: 'Return and restock' }).click()
    await expectDone(page, 'Put it on the hold shelf: kept for Bala Krishnan until')

    await page.setViewportSize({ width: 1680, height: 900 })
    const ready = page.getByRole('navigation').getByRole('link', { name: /^\d+ ready$/ })
    await expect(ready, 'L25: the bar counts the kept copies').toHaveAttribute('href', '/library/holds')
    await ready.click()
    const shelf = page.getByRole('region', { name: 'Hold shelf' })
    await expect(shelf.getByRole('link', { name: 'Bala Krishnan' })).toBeVisible()
    await page.getByRole('button', { name: `Print slip: Bala Krishnan, ${book.title}` }).click()
    await expect(question(page)).toContainText('Keep until')
    await page.emulateMedia({ media: 'print' })
    await expect(page.locator('[data-print]').getByText('Bala Krishnan')).toBeVisible()
    await expect(page.getByRole('heading', { name: 'Hold shelf', includeHidden: true })).toBeHidden()
    await page.emulateMedia({ media: 'screen' })
    await page.keyboard.press('Escape')

    // After the cancellation the queue is empty: the copy is to be shelved.
    await page.getByRole('button', { name: `Cancel reservation: ${book.title}, Bala Krishnan` }).click()
    await question(page).getByRole('button', { name: 'Cancel reservation' }).click()
    await expectDone(page, 'Reservation cancelled.')
    await page.goto('to-shelve')
    await expect(row(page, book.title)).toBeVisible()
  })

  test('R-HOLD-2 the desk says large for whom a returned copy is kept, and offers the slip', async ({
    page,
    library,
  }) => {
    const { book } = await lentOut(library)
    await reserve(await library.student({ name: 'Farah Khan' }), book.id)
    const desk = await library.librarian()
    const { copies } = await desk.ask<{ copies: { barcode: string }[] }>('GET', `/books/${book.id}/copies`)
    await page.goto('desk')
    await expect(page.getByRole('textbox', { name: 'Scan a card or a book' })).toBeFocused()
    await page.keyboard.type(`${copies[0]?.barcode}\n`)
    await expect(page.getByRole('article')).toContainText('Farah Khan')
    await page.getByRole('button', { name: `Print slip: Farah Khan, ${book.title}` }).press('Enter')
    await expect(question(page)).toContainText('Farah Khan')
    await page.keyboard.press('Escape')
    await expect(question(page)).toHaveCount(0)
  })

  test('R-HOLD-2 a copy that is said to be returned goes to the next once it is seen', async ({ page, library }) => {
    const { book, reader, loan } = await lentOut(library)
    await reserve(await library.student({ name: 'Chitra Sen' }), book.id)
    await reader.ask('POST', `/loans/${loan}/return`)
    await page.goto('holds')
    await expect(page.getByRole('region', { name: 'Reported returned, not checked in yet' })).toContainText(book.title)
    await page
      .getByRole('row')
      .filter({ hasText: book.title })
      .getByRole('button', { name: /^It is here/ })
      .click()
    await expectDone(page, 'goes on the hold shelf: kept for Chitra Sen until')
    await expect(page.getByRole('region', { name: 'Hold shelf' })).toContainText(book.title)
  })

  test('R-HOLD-3 R-HOLD-4 reserves for a reader, moves people in line with a reason, and sees the longest lines', async ({
    page,
    library,
    watch,
  }) => {
    watch.excuse(/422/)
    const { book } = await lentOut(library)
    const [first, second] = [await library.student({ name: 'Asha Rao' }), await library.student({ name: 'Dev Patel' })]
    await page.goto(`book-detail/${book.id}`)
    const panel = page.getByRole('region', { name: 'Waiting list' })
    const box = panel.getByLabel('Reserve for a reader')
    for (const { user } of [first, second]) {
      if (user === first.user) {
        await box.fill(user.rollNumber ?? '')
        await box.press('Enter')
      } else {
        // By name, from the list.
        await box.fill(`${user.name} ${user.rollNumber ?? ''}`)
        await panel.getByRole('button', { name: user.name }).click()
      }
      await expect(panel.getByRole('link', { name: user.name })).toBeVisible()
      await expect(box).toHaveValue('')
    }
    await box.fill('nobody-at-all')
    await box.press('Enter')
    await expect(panel.getByText('Nobody matches “nobody-at-all”.')).toBeVisible()

    await page.getByRole('button', { name: 'Move in line: Dev Patel' }).click()
    await question(page).getByRole('button', { name: 'Move' }).click()
    await expect(question(page).getByText('Reason is required.')).toBeVisible()
    await question(page).getByLabel('Reason').fill('Exam on Monday')
    await question(page).getByRole('button', { name: 'Move' }).click()
    await expectDone(page, 'Dev Patel is now at place 1.')
    await expect(row(page, 'Dev Patel')).toContainText('Place 1 of 2')

    await page.goto('holds')
    const wanted = page.getByRole('region', { name: 'Books with a waiting list' })
    await expect(wanted.getByRole('row').filter({ hasText: book.title })).toContainText('2')
    await page.goto(`people/${second.user.uid}`)
    await expect(page.getByRole('region', { name: 'Reservations' })).toContainText('Place 1 of 2')
  })

  test('R-HOLD-2 a copy that is shelved while somebody waits is kept, and the scan says so', async ({
    page,
    library,
  }) => {
    const { book, loan } = await lentOut(library)
    const desk = await library.librarian()
    await desk.ask('POST', `/loans/${loan}/return`)
    await reserve(await library.student({ name: 'Esha Nair' }), book.id)
    await page.goto(`book-detail/${book.id}`)
    const { copies } = await desk.ask<{ copies: { barcode: string }[] }>('GET', `/books/${book.id}/copies`)
    await page.goto('to-shelve')
    await expect(page.getByLabel('Barcode of the book in your hand')).toBeFocused()
    await page.keyboard.type(`${copies[0]?.barcode}\n`)
    await expect(page.getByText('It is kept for Esha Nair until')).toBeVisible()
    await page.goto(`book-detail/${book.id}`)
    await expect(page.getByRole('region', { name: 'Copies' })).toContainText(/kept for a reader\s*Esha Nair/i)
  })
})
