import { expectAccessible } from './support/accessible'
import { expect, present, test } from './support/test'

test.use({ as: 'librarian', shelf: 'fresh' })

test('R-DESK-7 R-UNDO-1 a late return is paid at the desk with a receipt, and taken back step by step', async ({
  page,
  who,
}) => {
  const librarian = present(who)
  await page.addInitScript(() => (window.print = () => undefined))
  const printed = () => page.evaluate(() => dispatchEvent(new Event('afterprint')))
  const late = (await librarian.allLoans('')).find(({ fine }) => fine > 0)
  if (!late) throw new Error('The demo has an overdue loan')
  await page.goto('desk')
  await expect(page.getByRole('textbox', { name: 'Scan a card or a book' })).toBeFocused()
  // A running fine counts as owed, and is charged when the book comes back.
  const strip = page.getByRole('region', { name: late.userName })
  await page.keyboard.type(`${late.rollNumber}\n`)
  await expect(strip).toContainText(`Owes ₹${late.fine}`)
  await expect(strip.getByRole('button', { name: 'Take money…' })).toBeHidden()
  await page.keyboard.press('Escape')
  await page.keyboard.type(`${late.barcode}\n`)
  const newest = page.getByRole('article')
  await expect(newest).toContainText(`Returned: “${late.title}”, which ${late.userName} had.`)
  await expect(newest).toContainText(`Fine: ₹${late.fine}`)
  await newest.getByText('Why?').click()
  await expect(newest).toContainText(`× ₹5`)
  await expectAccessible(page, 'a return with a fine')

  // An invalid amount, or more than is owed, is refused with a reason, and no other amount is taken.
  const amount = newest.getByLabel('Amount')
  for (const [typed, why] of [
    ['abc', 'an amount with at most two decimals'],
    ['', 'Amount is required.'],
    ['0', `from ₹0.01 to ₹${late.fine}`],
    ['-5', `from ₹0.01 to ₹${late.fine}`],
    [String(late.fine + 5), `from ₹0.01 to ₹${late.fine}`],
  ] as const) {
    await amount.fill(typed)
    await newest.getByRole('button', { name: 'Take', exact: true }).click()
    await expect(newest).toContainText(why)
    await expect(amount).toBeFocused()
  }
  expect((await librarian.allLoans('')).some(({ id }) => id === late.id)).toBe(false)
  await amount.fill(String(late.fine))
  await page.getByRole('button', { name: `Take ₹${late.fine}` }).click()
  await expect(newest).toContainText(/₹\d+ taken, receipt \d{4}-\d{2}\/\d{6}\./)
  await expect(page.getByRole('textbox', { name: 'Scan a card or a book' })).toBeFocused()
  // R-MONEY-3: the receipt prints in place, and the server counts: the second print is a copy.
  const paper = page.locator('[data-print]')
  await page.keyboard.press('Alt+KeyP')
  await expect(paper).toContainText(late.userName)
  await expect(paper).toContainText(late.title)
  await expect(paper).not.toContainText('COPY')
  await printed()
  await expect(paper).toHaveCount(0)
  await newest.getByRole('button', { name: 'Print receipt' }).click()
  await expect(paper).toContainText('COPY 2')
  await printed()

  // Newest first, by keyboard.
  await page.keyboard.press('Alt+KeyZ')
  await expect(newest).toContainText(/₹\d+ is owed again; receipt .* is cancelled\./)
  // It can be paid again where the debt is shown.
  await page.keyboard.type(`${late.rollNumber}\n`)
  await strip.getByRole('button', { name: 'Take money…' }).click()
  await expect(page.getByRole('dialog')).toContainText('Take')
  await expectAccessible(page, 'money taken from the strip')
  await page.keyboard.press('Escape')
  await expect(page.getByRole('textbox', { name: 'Scan a card or a book' })).toBeFocused()
  await page.keyboard.press('Escape')
  const earlier = page.getByRole('region', { name: 'Earlier' })
  // A list that has just moved ignores presses, which were meant for another row.
  await expect(async () => {
    await earlier.getByRole('button', { name: 'Undo' }).click()
    await expect(newest).toContainText(`“${late.title}” is on loan again`, { timeout: 500 })
  }).toPass()
  const again = (await librarian.allLoans('')).find(({ id }) => id === late.id)
  expect(again).toEqual(late)
})
