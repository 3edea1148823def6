import { readFile } from 'node:fs/promises'
import { libraryDay } from './support/screens'
import { expect, test } from './support/test'

test.use({ as: 'librarian' })

test('the activity tells who did what, by kind, person and book (L33)', async ({ page, library }) => {
  const book = await library.addBook()
  const reader = await library.student({ name: 'Kavya Menon' })
  const loan = await reader.borrow(book.id)

  await page.goto('activity')
  await expect(page.getByRole('heading', { name: libraryDay(0) }).first()).toBeVisible()
  const lent = page.getByRole('listitem').filter({ hasText: `“${book.title}” lent (copy ${loan.barcode})` })
  await expect(lent).toContainText('by Kavya Menon')

  await lent.getByRole('link', { name: 'Kavya Menon', exact: true }).click()
  await expect(page).toHaveURL(new RegExp(`person=${reader.user.uid}$`))
  await expect(page.getByText('Person: Kavya Menon')).toBeVisible()
  await expect(page.getByText(`“${book.title}” added to the catalogue.`)).toBeHidden()
  await page.getByLabel('Action', { exact: true }).selectOption('Lent')
  await expect(page.getByRole('listitem')).toHaveCount(1)
  await page.getByLabel('From').fill('2999-01-01')
  await expect(page.getByText('Nothing matches these filters.')).toBeVisible()
  await page.getByRole('link', { name: 'Show everything' }).click()

  await page.getByLabel('Book', { exact: true }).fill(book.title)
  await page.getByRole('button', { name: `${book.title} · ${book.author}`, exact: true }).click()
  await expect(page.getByText(`Book: ${book.title}`)).toBeVisible()
  await expect(page.getByText(`“${book.title}” added to the catalogue.`)).toBeVisible()
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download CSV' }).click(),
  ])
  expect(file.suggestedFilename()).toMatch(/^activity-.*\.csv$/)
  const rows = (await readFile(await file.path(), 'utf8')).trim().split('\n')
  expect(rows[0]).toBe('when,who,action,person,title,what')
  expect(rows.slice(1).every((row) => row.includes(book.title) || row.includes('copies-added'))).toBe(true)

  // A person is found by roll number too, and is named although nothing has changed.
  const silent = await library.student({ name: 'Tariq Anwar' })
  await page.goto('activity')
  await page.getByLabel('Action', { exact: true }).selectOption('Lent')
  await page.getByLabel('Person', { exact: true }).fill(silent.user.rollNumber ?? '')
  await page.keyboard.press('Enter')
  await expect(page.getByText('Person: Tariq Anwar')).toBeVisible()
  await expect(page.getByText('Nothing matches these filters.')).toBeVisible()
  await page.getByRole('button', { name: 'Remove the filter Person: Tariq Anwar' }).click()
  await expect(page).not.toHaveURL(/person=/)
})

test('a last day before the first is told at its field', async ({ page }) => {
  await page.goto('activity?from=2026-12-31&to=2026-01-01')
  await expect(page.getByLabel('Until')).toHaveAccessibleDescription('The last day must not be before the first.')
  await expect(page.getByRole('link', { name: 'Download CSV' })).toBeHidden()
})

test('earlier activity follows at a press, without a change twice', async ({ page, library }) => {
  const reader = await library.student()
  const book = await library.addBook({ noOfBooks: 1 })
  for (let n = 0; n < 30; n += 1) {
    const loan = await reader.borrow(book.id)
    await reader.ask('POST', `/loans/${loan.id}/return`, {})
  }
  await page.goto(`activity?book=${book.id}`)
  await expect(page.getByRole('listitem')).toHaveCount(50)
  await page.getByRole('button', { name: 'Show earlier entries' }).click()
  // The book, its copies, and thirty loans and returns.
  await expect(page.getByText(`“${book.title}” added to the catalogue.`)).toBeVisible()
  await expect(page.getByRole('listitem')).toHaveCount(62)
  await expect(page.getByRole('button', { name: 'Show earlier entries' })).toBeHidden()
})
