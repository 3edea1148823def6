import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expectAccessible } from './support/accessible'
import { Library, LIBRARIAN } from './support/library'
import { heading } from './support/screens'
import { expect, test as base } from './support/test'

/** List of another library, and a catalogue on the network that is down. */
const LIST = 'ISBN;Titel;Autor;Verlag;Jahr\n978-81-267-0592-4;गोदान;मुंशी प्रेमचंद;राजकमल प्रकाशन;2010\n'

const test = base.extend({
  // oxlint-disable-next-line no-empty-pattern -- the runner reads the names of the fixtures out of this pattern
  library: async ({}, provide) => {
    const folder = mkdtempSync(join(tmpdir(), 'look-up-'))
    const file = join(folder, 'union.csv')
    writeFileSync(file, LIST)
    const library = await Library.start('demo', ['--isbn-sources', `file:${file},openlibrary:http://127.0.0.1:9`])
    await provide(library)
    await library.stop()
    rmSync(folder, { recursive: true })
  },
})

test.beforeEach(async ({ page }) => {
  await page.goto('login')
  await page.getByLabel('Email').fill(LIBRARIAN)
  await page.getByLabel('Password', { exact: true }).fill('demo-library')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: 'More', exact: true })).toBeVisible()
})

test('R-BOOK-5 a scanned ISBN fills in title and author, and Enter saves the book', async ({ page }) => {
  await page.goto('quick-add')
  await page.getByLabel('ISBN').fill('9788126705924')
  await expect(page.getByLabel('Title')).toHaveValue('गोदान')
  await expect(page.getByText('From union.csv: Title, Author.')).toBeVisible()
  await expect(page.getByText('Saved with the book: राजकमल प्रकाशन · 2010')).toBeVisible()
  await expectAccessible(page, 'a book that was looked up')
  for (let field = 0; field < 5; field += 1) await page.keyboard.press('Enter')
  await expect(page.getByText('गोदान added with 1 copy.')).toBeVisible()
  await page.getByRole('link', { name: 'गोदान' }).click()
  await expect(page.getByLabel('Publisher')).toHaveValue('राजकमल प्रकाशन')
})

test('R-BOOK-5 a new book begins with its ISBN, and a catalogue that is down is named', async ({ page }) => {
  await page.goto('add')
  await expect(heading(page)).toHaveText('Add New Book')
  await expect(page.getByLabel('ISBN')).toBeFocused()
  await page.keyboard.type('9780747532699')
  await page.keyboard.press('Enter')
  await expect(page.getByText('Open Library did not answer.')).toBeVisible()
  await expectAccessible(page, 'a look-up without an answer')
  await page.getByLabel('ISBN').fill('9788126705924')
  await page.getByRole('button', { name: 'Look up' }).click()
  await expect(page.getByLabel('Year of publication')).toHaveValue('2010')
  await page.reload()
  await expect(page.getByLabel('Title')).toHaveValue('गोदान')
})
