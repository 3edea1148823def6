import type { Copy } from '../src/api/types'
import { expectDone, expectRefused, question, row } from './support/screens'
import { expect, present, test } from './support/test'

test.use({ as: 'librarian' })

test('R-COPY-6 the book page lists every copy with its state and who has it until when', async ({ page, library }) => {
  const book = await library.addBook({ noOfBooks: 2 })
  const reader = await library.student({ name: 'Kavya Menon' })
  const loan = await reader.borrow(book.id)

  await page.goto(`book-detail/${book.id}`)
  const panel = page.getByRole('region', { name: 'Copies' })
  await expect(panel.getByText('1 on the shelf · 1 on loan')).toBeVisible()
  await expect(row(page, loan.barcode)).toContainText('on loan')
  await panel.getByRole('link', { name: 'Kavya Menon' }).click()
  await expect(page).toHaveURL(/fine\?q=Kavya/)
  await expect(row(page, book.title)).toBeVisible()
})

test('R-COPY-3 copies come in by scans one after the other, one barcode never twice', async ({
  page,
  library,
  watch,
}) => {
  watch.excuse(/422/, /copies could not be added/)
  const book = await library.addBook({ noOfBooks: 1 })
  const code = `BC-${book.id}`
  await page.goto(`book-detail/${book.id}`)
  await page.getByRole('button', { name: 'Add copies' }).click()
  const box = page.getByLabel('Barcodes')
  await expect(box).toBeFocused()
  // Types like a scanner: Enter after each code.
  await page.keyboard.type(`${code}-1\n${code}-2\n${code.toLowerCase()}-1\n`)
  await expect(question(page).getByText(`Already in the list: ${code.toLowerCase()}-1`)).toBeVisible()
  await expect(question(page).getByText('2 barcodes')).toBeVisible()
  await page.getByLabel('Copies without a barcode').fill('1')
  await question(page).getByRole('button', { name: 'Add', exact: true }).click()
  await expectDone(page, '3 copies added.')
  await expect(row(page, `${code}-2`)).toContainText('on the shelf')
  await expect(page.getByText('4 on the shelf')).toBeVisible()

  // A barcode of another title is refused at its field, and the input stays.
  const other = await library.addBook()
  await page.goto(`book-detail/${other.id}`)
  await page.getByRole('button', { name: 'Add copies' }).click()
  await page.keyboard.type(`${code}-9\n${code}-2\n`)
  await question(page).getByRole('button', { name: 'Add', exact: true }).click()
  await expectRefused(page, `${code}-2 is the barcode of another copy`)
  await question(page)
    .getByRole('button', { name: `Remove ${code}-2` })
    .click()
  await question(page).getByRole('button', { name: 'Add', exact: true }).click()
  await expect(row(page, `${code}-9`)).toBeVisible()
})

test('R-COPY-2 a copy goes where it may go; one that was lent meanwhile stays, and the list tells', async ({
  page,
  library,
  who,
  watch,
}) => {
  watch.excuse(/409/, /copy could not be moved/)
  const book = await library.addBook({ noOfBooks: 1 })
  const { copies } = await present(who).ask<{ copies: Copy[] }>('GET', `/books/${book.id}/copies`)
  const barcode = copies[0]?.barcode ?? ''
  await page.goto(`book-detail/${book.id}`)

  await page.getByRole('button', { name: `Move: ${barcode}` }).click()
  await page.getByRole('radio', { name: 'in repair' }).check()
  await page.getByLabel('Reason or note (optional)').fill('Spine is loose')
  await question(page).getByRole('button', { name: 'Move', exact: true }).click()
  await expectDone(page, `Copy ${barcode}: in repair.`)
  await expect(row(page, barcode)).toContainText('in repair')

  await page.getByRole('button', { name: `Move: ${barcode}` }).click()
  await page.getByRole('radio', { name: 'on the shelf' }).check()
  await question(page).getByRole('button', { name: 'Move', exact: true }).click()
  await expect(row(page, barcode)).toContainText('on the shelf')

  await page.getByRole('button', { name: `Move: ${barcode}` }).click()
  await (await library.student()).borrow(book.id)
  await page.getByRole('radio', { name: 'withdrawn' }).check()
  await question(page).getByRole('button', { name: 'Move', exact: true }).click()
  await expectRefused(page, 'This copy has changed in the meantime')
  await question(page).getByRole('button', { name: 'Cancel' }).click()
  await expect(row(page, barcode)).toContainText('on loan')
})

test('R-COPY-1 a copy’s barcode and note are changed; withdrawn copies are folded away', async ({ page, library }) => {
  const book = await library.addBook({ noOfBooks: 1 })
  await page.goto(`book-detail/${book.id}`)
  await page.getByRole('button', { name: /^Edit: / }).click()
  await question(page).getByLabel('Barcode').fill(`ED-${book.id}`)
  await question(page).getByLabel('Note').fill('Gift of the class of 2024')
  await question(page).getByRole('button', { name: 'Save' }).click()
  await expectDone(page, `Copy ED-${book.id} saved.`)
  await expect(row(page, `ED-${book.id}`)).toContainText('Gift of the class of 2024')

  await page.getByRole('button', { name: `Move: ED-${book.id}` }).click()
  await page.getByRole('radio', { name: 'withdrawn' }).check()
  await question(page).getByRole('button', { name: 'Move', exact: true }).click()
  await expect(page.getByText('There are no copies.')).toBeVisible()
  await expect(row(page, `ED-${book.id}`)).toBeHidden()
  await page.getByText('1 withdrawn copy').click()
  await expect(row(page, `ED-${book.id}`)).toBeVisible()
})

test('by keyboard, the windows of copies give the focus back to where it came from', async ({ page, library }) => {
  const book = await library.addBook({ noOfBooks: 1 })
  await page.goto(`book-detail/${book.id}`)
  for (const name of ['Add copies', /^Move: /, /^Edit: /]) {
    const button = page.getByRole('region', { name: 'Copies' }).getByRole('button', { name })
    await button.press('Enter')
    await expect(question(page)).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(question(page)).toHaveCount(0)
    await expect(button).toBeFocused()
  }
})

test('R-COPY-3 a new book takes the barcodes that are on its copies', async ({ page, library }) => {
  const form = library.bookForm()
  const code = `NB-${Date.now()}`
  await page.goto('add')
  await page.getByLabel('Title', { exact: true }).fill(form.title)
  await page.getByLabel('Author').fill(form.author)
  await page.getByLabel('Genre').fill(form.genre)
  await page.getByLabel('Photo URL').fill(form.photoURL)
  await page.getByLabel('Description').fill(form.description)
  await page.getByLabel('Location').fill(form.location)
  await page.getByLabel('Barcodes on the copies').fill(`${code}-1`)
  await page.keyboard.press('Enter')
  await page.keyboard.type(`${code}-2`)
  await page
    .locator('label')
    .filter({ has: page.getByRole('radio', { name: '4 stars' }) })
    .click()
  // The second one counts without a following Enter.
  await page.getByRole('button', { name: 'Add Book' }).click()
  await expectDone(page, 'Book added')
  await page.getByRole('link', { name: form.title }).click()
  await expect(row(page, `${code}-1`)).toContainText('on the shelf')
  await expect(row(page, `${code}-2`)).toContainText('on the shelf')
})

test('L11 a missing copy is listed with its last reader, printed, and back on the shelf by a scan', async ({
  page,
  library,
  who,
}) => {
  const desk = present(who)
  const reader = await library.student()
  const book = await library.addBook({ noOfBooks: 2 })
  const { id, barcode } = await reader.borrow(book.id)
  await desk.ask('POST', `/loans/${id}/return`, { restock: true })
  const { copies } = await desk.ask<{ copies: { id: number }[] }>('GET', `/books/${book.id}/copies`)
  for (const copy of copies) await desk.ask('POST', `/copies/${copy.id}/move`, { state: 'missing' })

  await page.goto('to-shelve?state=missing')
  await expect(row(page, barcode).getByRole('link', { name: reader.user.name })).toBeVisible()
  await page.evaluate(() => Object.assign(window, { print: () => Object.assign(window, { isPrinted: true }) }))
  await page.getByRole('button', { name: 'Print the list' }).click()
  await page.waitForFunction(() => 'isPrinted' in window)
  await page.emulateMedia({ media: 'print' })
  const line = page.locator('[data-print] tr', { hasText: barcode })
  await expect(line).toContainText(`${book.title}${book.location}${barcode}`)
  await expect(line).toContainText(reader.user.name)
  await page.emulateMedia({ media: 'screen' })
  await page.evaluate(() => window.dispatchEvent(new Event('afterprint')))
  await expect(page.locator('[data-print]')).toHaveCount(0)

  await page.getByLabel('Barcode of the book in your hand').focus()
  await page.keyboard.type(`${barcode}\n`)
  await expect(page.getByText(`“${book.title}” is on the shelf: ${book.location}`)).toBeVisible()
  await expect(row(page, barcode)).toBeHidden()
  expect((await library.book(book.id)).noOfBooks).toBe(1)
})

test('R-COPY-4 what came back is put on the shelf by scan, by button with a way back, and all at once', async ({
  page,
  library,
  who,
}) => {
  const desk = present(who)
  const reader = await library.student()
  const book = await library.addBook({ noOfBooks: 4 })
  const loans = [await reader.borrow(book.id), await reader.borrow(book.id), await reader.borrow(book.id)]
  const still = await reader.borrow(book.id)
  for (const loan of loans) await desk.ask('POST', `/loans/${loan.id}/return`, {})
  const [first, second, third] = loans.map(({ barcode }) => barcode)

  await page.goto('to-shelve')
  await expect(page.getByLabel('Barcode of the book in your hand')).toBeFocused()
  await page.keyboard.type(`${first}\n`)
  await expect(page.getByText(`“${book.title}” is on the shelf: ${book.location}`)).toBeVisible()
  await expect(row(page, first ?? '')).toBeHidden()
  await page.keyboard.type(`${first}\n`)
  await expect(page.getByText(`${first} scanned again: ignored`)).toBeVisible()
  await page.keyboard.type(`${still.barcode}\n`)
  await expect(page.getByText('is still on loan to')).toBeVisible()
  await page.keyboard.type(`${first}\n`)
  await expect(page.getByText('is already on the shelf')).toBeVisible()
  await page.keyboard.type('no-such-code\n')
  await expect(page.getByText('No copy has the barcode no-such-code')).toBeVisible()
  expect((await library.book(book.id)).noOfBooks).toBe(1)

  await row(page, second ?? '')
    .getByRole('button')
    .click()
  await expect(row(page, second ?? '')).toBeHidden()
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(row(page, second ?? '')).toBeVisible()

  await page.getByRole('button', { name: 'Put all on the shelf' }).click()
  await question(page).getByRole('button', { name: 'Put all on the shelf' }).click()
  await expect(page.getByText('Nothing is waiting to be shelved.')).toBeVisible()
  await expect(row(page, third ?? '')).toBeHidden()
  expect((await library.book(book.id)).noOfBooks).toBe(3)
})
