import { question } from './support/screens'
import { expect, test } from './support/test'

test.use({ as: 'librarian' })

/** Names that no other test has. */
const unique = (name: string) => `${name}-${Date.now().toString(36)}`

const upload = (name: string, text: string) => ({ name, mimeType: 'text/csv', buffer: Buffer.from(text) })

test('R-SEAM-10 books that are out are brought from another system, seen on the reader’s page, and undone', async ({
  page,
}) => {
  const [title, barcode, number] = [unique('Godan'), unique('A'), unique('ADM')]
  await page.goto('import-books')
  await page.locator('input[type=file]').setInputFiles(upload('books.csv', `Title,Barcode\n${title},${barcode}\n`))
  await page.getByRole('button', { name: 'Check the file' }).click()
  await page.getByRole('button', { name: 'Import 1 row' }).click()
  await expect(page.getByRole('heading', { name: 'The books are imported' })).toBeVisible()
  await page.goto('import-people')
  await page.locator('input[type=file]').setInputFiles(upload('class.csv', `Admission No,Name\n${number},Asha Rao\n`))
  await page.getByRole('button', { name: 'Check the file' }).click()
  await page.getByRole('button', { name: 'Import 1 person' }).click()
  await expect(page.getByRole('heading', { name: 'Imported' })).toBeVisible()

  await page.getByRole('link', { name: 'Open loans' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Import open loans' })).toBeVisible()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Import open loans')
  const list = `Acc No;Admission No;Issue Date;Due Date\n${barcode};${number};05/01/2026;19/01/2026\nX;${number};05/01/2026;19/01/2026\n`
  await page.locator('input[type=file]').setInputFiles(upload('register.csv', list))
  await expect(page.getByRole('heading', { name: 'Which column is what?' })).toBeFocused()
  await expect(page.getByLabel('What is in “Issue Date”?')).toHaveValue('lent')
  await expect(page.getByLabel('What is in “Due Date”?')).toHaveValue('due')
  // A list without the days of the loans is no list of loans.
  await page.getByLabel('What is in “Issue Date”?').selectOption('')
  await expect(page.getByRole('alert')).toHaveText('Choose the column for “Lent on”.')
  await page.getByLabel('What is in “Issue Date”?').selectOption('Lent on')
  await page.getByRole('button', { name: 'Check the file' }).click()
  await expect(page.getByRole('heading', { name: 'What the import would do' })).toBeFocused()
  await expect(page.getByText('Days such as 05/06/2026 are read as 5 June 2026.')).toBeVisible()
  const rejected = page.getByRole('table', { name: '1 row rejected' })
  await expect(rejected).toContainText('Barcode or accession number: No copy has the barcode X.')
  await page.getByRole('button', { name: 'Import 1 loan' }).click()
  await expect(page.getByRole('heading', { name: 'The loans are imported' })).toBeVisible()
  const imported = page.url()

  await page.goto(`people?q=${number}`)
  await page.getByRole('link', { name: 'Asha Rao' }).click()
  await expect(page.getByRole('row', { name: new RegExp(title) })).toContainText('19 Jan 2026')

  await page.goto(imported)
  await page.getByRole('button', { name: 'Undo the whole import' }).click()
  await expect(question(page)).toContainText('1 book will no longer be on loan.')
  await question(page).getByRole('button', { name: 'Undo the whole import' }).click()
  await expect(page.getByRole('heading', { name: 'The import is undone' })).toBeVisible()
  await page.getByRole('link', { name: 'Import another file' }).click()
  await expect(page.getByRole('row', { name: /register\.csv/ }).first()).toContainText('Undone')
})

test('R-MONEY-2 what people owe is brought from another system', async ({ page }) => {
  const number = unique('ADM')
  await page.goto('import-people')
  await page.locator('input[type=file]').setInputFiles(upload('class.csv', `Admission No,Name\n${number},Ravi Rao\n`))
  await page.getByRole('button', { name: 'Check the file' }).click()
  await page.getByRole('button', { name: 'Import 1 person' }).click()
  await expect(page.getByRole('heading', { name: 'Imported' })).toBeVisible()
  await page.getByRole('link', { name: 'Open charges' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Import open charges' })).toBeVisible()
  const list = `Admission No,Amount,Reason\n${number},12.50,Torn page\n${number},-3,Refund\n`
  await page.locator('input[type=file]').setInputFiles(upload('fines.csv', list))
  await page.getByRole('button', { name: 'Check the file' }).click()
  await expect(page.getByText('Total: ₹12.50.')).toBeVisible()
  await expect(page.getByRole('table', { name: '1 row rejected' })).toContainText('is not an amount above 0')
  await page.getByRole('button', { name: 'Import 1 charge' }).click()
  await expect(page.getByRole('heading', { name: 'The charges are imported' })).toBeVisible()
  await page.goto(`people?q=${number}`)
  await page.getByRole('link', { name: 'Ravi Rao' }).click()
  await expect(page.getByText('Imported: ₹12.50 owed (Other): Torn page.')).toBeVisible()
})
