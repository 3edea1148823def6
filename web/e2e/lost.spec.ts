import type { Account, Copy } from '../src/api/types'
import { expectAccessible } from './support/accessible'
import { expectDone, question } from './support/screens'
import { expect, present, test } from './support/test'

test.use({ as: 'librarian' })

test('R-MONEY-4 a reader has lost a book: it is charged, paid, found, taken back and paid out', async ({
  page,
  library,
  who,
}) => {
  const librarian = present(who)
  const book = await library.addBook({ noOfBooks: 1 })
  const reader = await library.student()
  const { uid, name } = reader.user
  const { barcode } = await reader.borrow(book.id)
  const account = () => librarian.ask<Account>('GET', `/people/${uid}/account`)
  const copy = async () => (await librarian.ask<{ copies: Copy[] }>('GET', `/copies?barcode=${barcode}`)).copies[0]

  await page.goto(`people/${uid}`)
  await page
    .getByRole('button', { name: /^Return: / })
    .first()
    .click()
  await question(page).getByRole('button', { name: 'The reader has lost it…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Declare lost' })
  await expect(dialog).toContainText(`copy ${barcode}, on loan to ${name}`)
  await expect(dialog).toContainText('No price is recorded for this copy')
  await expectAccessible(page, 'declaring a loss')
  await dialog.getByRole('button', { name: 'Declare lost' }).click()
  await expect(dialog.getByLabel('Price')).toHaveAccessibleDescription(/Price is required\./)
  await dialog.getByLabel('Price').fill('450')
  await expect(dialog).toContainText('fine ₹0 + price ₹450 = ₹450')
  await page.keyboard.press('Enter')
  await expectDone(page, 'is declared lost.')
  await expect(dialog).toContainText(`₹450 is charged to ${name}.`)
  await expect(dialog.getByRole('button', { name: 'Take ₹450…' })).toBeFocused()
  await expectAccessible(page, 'the price of a lost book, offered to be taken')
  await dialog.getByRole('button', { name: 'Later' }).click()
  const panel = page.getByRole('region', { name: 'Account' })
  await expect(panel).toContainText(`Charged · Lost · ${book.title}`)
  await expect(page.getByText('No books out.').or(page.getByRole('table', { name: 'Books out' }))).toHaveCount(1)
  expect((await copy())?.state).toBe('lost')

  // The notice undoes the report and the fine; then the test repeats both.
  await page.getByRole('status').getByRole('button', { name: 'Undo' }).click()
  await expect.poll(async () => (await copy())?.state).toBe('on-loan')
  expect((await account()).balance).toBe(0)
  await page
    .getByRole('button', { name: /^Return: / })
    .first()
    .click()
  await question(page).getByRole('button', { name: 'The reader has lost it…' }).click()
  await dialog.getByLabel('Price').fill('450')
  await dialog.getByRole('button', { name: 'Declare lost' }).click()

  // A part is paid at once, with change.
  await dialog.getByRole('button', { name: 'Take ₹450…' }).click()
  const pay = page.getByRole('dialog')
  await pay.getByLabel('Amount').fill('300')
  await pay.getByLabel('Cash received (for the change)').fill('500')
  await expect(pay).toContainText('Give back ₹200.')
  await expectAccessible(page, 'taking money')
  await pay.getByRole('button', { name: 'Take ₹300' }).click()
  const taken = page.getByRole('dialog', { name: /^Receipt/ })
  await expect(taken).toContainText('₹300 taken')
  await expect(taken).toContainText('Give back ₹200.')
  await expect(taken.getByRole('button', { name: 'Print receipt' })).toBeFocused()
  await page.getByRole('button', { name: 'Done' }).click()
  await expect(panel).toContainText('₹150')

  // The copy is found.
  await page.goto(`book-detail/${book.id}`)
  await page.getByRole('button', { name: /^Move/ }).first().click()
  await question(page).getByLabel('on the shelf', { exact: true }).check()
  await question(page).getByRole('button', { name: 'Move', exact: true }).click()
  const found = page.getByRole('dialog', { name: 'Found again' })
  await expect(found).toContainText(`${name} was charged ₹450 for this copy`)
  await expect(found).toContainText('₹300 of it was already paid')
  await expectAccessible(page, 'a lost copy that turned up')

  // Kept for now, the charge stays offered on the account until it is taken back.
  await found.getByRole('button', { name: 'Keep the charge' }).click()
  await page.goto(`people/${uid}`)
  await expect(panel).toContainText(
    `(${barcode}) was found. ${name} is still charged ₹450 for it, of which ₹300 is paid.`,
  )
  await expectAccessible(page, 'a found book whose price is still charged')
  await panel.getByRole('button', { name: /^Cancel this charge…/ }).click()
  await found.getByRole('button', { name: 'Cancel the charge of ₹450' }).click()
  await expectDone(page, `Charge of ₹450 cancelled for ${name}.`)
  expect(await account()).toMatchObject({ balance: -300, credit: 300 })

  await expect(panel.getByText('is still charged')).toBeHidden()
  await expect(panel).toContainText('Credit ₹300')
  await panel.getByRole('button', { name: 'Pay out credit…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Pay out' }).click()
  await expectDone(page, '₹300 paid out.')
  expect(await account()).toMatchObject({ balance: 0, credit: 0 })
})
