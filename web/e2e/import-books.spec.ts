import { heading, question } from './support/screens'
import { expect, test } from './support/test'

test.use({ as: 'librarian' })

/** Names that no other test has. */
const unique = (name: string) => `${name}-${Date.now().toString(36)}`

const upload = (name: string, text: string) => ({ name, mimeType: 'text/csv', buffer: Buffer.from(text) })

test('R-SEAM-10 a list with the school’s own headings is looked at, imported, and undone as a whole', async ({
  page,
}) => {
  const [kept, other] = [unique('Godan'), unique('Kim')]
  const file = upload(
    'register.csv',
    `Acc. No.;Book Name;Writer;Price\n${unique('A')};${kept};Premchand;90\n${unique('B')};${other};Kipling;80\n;;Nobody;1\n`,
  )
  await page.goto('import-books')
  await page.locator('input[type=file]').setInputFiles(file)
  // The guess is shown with the first rows, and can be changed.
  await expect(page.getByRole('heading', { name: 'Which column is what?' })).toBeFocused()
  await expect(page.getByLabel('What is in “Book Name”?')).toHaveValue('title')
  await expect(page.getByLabel('What is in “Acc. No.”?')).toHaveValue('barcode')
  await expect(page.getByText(`${kept} · ${other}`)).toBeVisible()
  await page.getByLabel('What is in “Writer”?').selectOption('')
  await page.getByLabel('What is in “Writer”?').selectOption('Author')
  await page.getByRole('button', { name: 'Check the file' }).click()
  await expect(page.getByRole('heading', { name: 'What the import would do' })).toBeFocused()
  await expect(page.getByRole('table', { name: '1 row rejected' })).toContainText('Line 4')
  await page.getByRole('button', { name: 'Import 2 rows' }).click()
  await expect(page.getByRole('heading', { name: 'The books are imported' })).toBeVisible()
  await expect(page).toHaveURL(/import=\d+/)
  // The page can be left: the import has an address of its own.
  await page.reload()
  await page.getByRole('button', { name: 'Undo the whole import' }).click()
  await question(page).getByRole('button', { name: 'Undo the whole import' }).click()
  await expect(page.getByRole('heading', { name: 'The import is undone' })).toBeVisible()
  await page.getByRole('link', { name: 'Import another file' }).click()
  await expect(page.getByRole('row', { name: /register\.csv/ }).first()).toContainText('Undone')
  await expect(heading(page)).toHaveText('Import books')
})

test('R-SEAM-10 a long list is packed once, and each step of the import sends it so', async ({ page }) => {
  const title = unique('Gitanjali')
  const rows = `${title},${'A long description of no use. '.repeat(60)}\n`.repeat(1300)
  const sent: Promise<string | null>[] = []
  page.on('request', (request) => {
    const isUpload = request.method() === 'POST' && request.url().includes('/imports/books')
    if (isUpload) sent.push(request.headerValue('content-length'))
  })
  await page.goto('import-books')
  await page.locator('input[type=file]').setInputFiles(upload('long.csv', `Title,Description\n${rows}`))
  await page.getByRole('button', { name: 'Check the file' }).click()
  await page.getByRole('button', { name: 'Import 1 row' }).click()
  await expect(page.getByRole('heading', { name: 'The books are imported' })).toBeVisible()
  const lengths = (await Promise.all(sent)).map(Number)
  expect(lengths).toEqual(Array(3).fill(lengths[0]))
  expect(lengths[0]).toBeGreaterThan(0)
  expect(lengths[0]).toBeLessThan(rows.length / 10)
})

test('R-PEOPLE-4 a list of people with the school’s own headings is imported after its columns are chosen', async ({
  page,
}) => {
  const number = unique('ADM')
  await page.goto('import-people')
  await page
    .locator('input[type=file]')
    .setInputFiles(upload('class.csv', `Admission No,Student Name,Class,Section\n${number},Asha Rao,8,B\n`))
  await expect(page.getByLabel('What is in “Section”?')).toHaveValue('section')
  await page.getByRole('button', { name: 'Check the file' }).click()
  await page.getByRole('button', { name: 'Import 1 person' }).click()
  await expect(page.getByRole('heading', { name: 'Imported' })).toBeVisible()
  await page.goto(`people?q=${number}`)
  await expect(page.getByRole('row', { name: /Asha Rao/ })).toContainText('8-B')
})
