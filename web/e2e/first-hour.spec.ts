import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expectAccessible } from './support/accessible'
import { newest, openDesk, scan, strip } from './support/desk'
import { Library, PASSWORD } from './support/library'
import { PIXEL } from './support/pixel'
import { heading } from './support/screens'
import { expect, prepare, test } from './support/test'
import { Watch } from './support/watch'

const upload = (name: string, text: string) => ({ name, mimeType: 'text/csv', buffer: Buffer.from(text) })

test('R-ROLE-3 R-SEAM-10 a school comes from the printed address to its first loan and its first backup, with its own headings and without a terminal', async ({
  browser,
}) => {
  const folder = await mkdtemp(join(tmpdir(), 'library-backups-'))
  const library = await Library.start('unmade', [`--backup-folder=${join(folder, 'backups')}`])
  const watch = new Watch(library.origin)
  const context = await browser.newContext({ baseURL: library.url })
  await prepare(context, watch, false)
  const page = await context.newPage()
  const steps = page.getByRole('region', { name: 'First steps' })
  const file = page.locator('input[type=file]')

  await page.goto(library.setup)
  await page.getByLabel('Full name').fill('Meera Iyer')
  await page.getByLabel('Email').fill('meera@college.test')
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.keyboard.press('Enter')

  await steps.getByRole('link', { name: 'Bring your books' }).click()
  await file.setInputFiles(
    upload('register.csv', 'Acc. No.;Book Name;Writer;Rack\nB-17;Godaan;Premchand;A3\nB-18;Nirmala;Premchand;A3\n'),
  )
  await page.getByRole('button', { name: 'Check the file' }).click()
  await page.getByRole('button', { name: 'Import 2 rows' }).click()
  await expect(page.getByRole('heading', { name: 'The books are imported' })).toBeVisible()

  await page.goto('home')
  await steps.getByRole('link', { name: 'Bring your people' }).click()
  await file.setInputFiles(upload('class.csv', 'Admission No,Student Name,Class,Section\n2026-001,Asha Rao,8,B\n'))
  await page.getByRole('button', { name: 'Check the file' }).click()
  await page.getByRole('button', { name: 'Import 1 person' }).click()
  await expect(page.getByRole('heading', { name: 'Imported' })).toBeVisible()

  await page.goto('home')
  await expect(steps).toContainText('2 of 6 done')
  await steps.getByRole('link', { name: 'Print labels and cards' }).click()
  await expect(heading(page)).toHaveText('Labels')

  // A picture of the book in the librarian's hand; another file is refused at its place.
  await page.goto('update/1')
  watch.excuse(/422/)
  await file.setInputFiles({ name: 'cover.png', mimeType: 'image/png', buffer: Buffer.from('<svg/>') })
  await expect(page.getByRole('alert')).toHaveText('This file is not a picture. Choose a JPEG, PNG or WebP file.')
  await file.setInputFiles({ name: 'cover.png', mimeType: 'image/png', buffer: PIXEL })
  await expect(page.getByLabel('Photo URL')).toHaveValue(/\/library\/covers\/[0-9a-f]{32}\.jpg$/)
  await expect(page.getByText('This is how readers will see the cover.')).toBeVisible()
  await expectAccessible(page, 'the form with an uploaded cover')

  await openDesk(page)
  await scan(page, '2026-001')
  await expect(strip(page, 'Asha Rao')).toContainText('No book out')
  await scan(page, 'B-17')
  await expect(newest(page)).toContainText('Lent: “Godaan”')

  await page.goto('settings?tab=backups')
  await page.getByRole('button', { name: 'Make one now' }).dblclick()
  const row = page.getByRole('row', { name: /By hand/ })
  await expect(row).toContainText('2 titles, 2 copies')
  await expect(row).toHaveCount(1)
  await expectAccessible(page, 'the backups')
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    row.getByRole('link', { name: /^Download/ }).click(),
  ])
  expect(download.suggestedFilename()).toMatch(/^library-.+\.db$/)
  await context.close()
  await library.stop()
  await rm(folder, { recursive: true })
  expect(watch.faults).toEqual([])
})
