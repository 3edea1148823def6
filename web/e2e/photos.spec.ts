import type { Page } from '@playwright/test'
import { expectAccessible } from './support/accessible'
import { openDesk, scan, strip } from './support/desk'
import { PIXEL } from './support/pixel'
import { expectDone, question } from './support/screens'
import { expect, present, test } from './support/test'
import { zipOf } from './support/zip'

test.use({ as: 'librarian' })

const picture = (name: string, buffer = PIXEL) => ({ name, mimeType: 'image/png', buffer })

/** Asserts that the browser shows a photo's pixels. */
async function expectDrawn(page: Page, selector: string): Promise<void> {
  const image = page.locator(selector).first()
  await expect(image).toBeVisible()
  await expect.poll(() => image.evaluate((shown: HTMLImageElement) => shown.naturalWidth)).toBeGreaterThan(0)
}

test('a photo is chosen, seen at the desk and on both cards, and removed', async ({ page, pageOf, library }) => {
  const reader = await library.student({ name: 'Ira Photo' })
  const { uid, name, rollNumber } = reader.user
  await page.goto(`people/${uid}`)
  const open = async () => {
    await page.locator('#main').getByRole('button', { name: 'More', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Photo…' }).click()
  }
  await open()
  const dialog = page.getByRole('dialog', { name: `Photo of ${name}` })
  await expectAccessible(page, 'a person without a photo')
  const input = page.locator('input[type=file]')
  await input.setInputFiles(picture('a.gif', Buffer.from('GIF89a')))
  await expect(dialog.getByRole('alert')).toContainText('This file is not a picture, or is damaged.')
  await expect(dialog.getByRole('button', { name: 'Save the photo' })).toBeHidden()
  await input.setInputFiles(picture('ira.png'))
  await expect(dialog.getByRole('alert')).toBeHidden()
  await dialog.getByRole('button', { name: 'Save the photo' }).click()
  await expectDone(page, `Photo of ${name} saved.`)
  await expectDrawn(page, `img[alt="Photo of ${name}"]`)
  await expectAccessible(page, 'a person with a photo')
  await page.getByRole('button', { name: 'ID card' }).click()
  await expectDrawn(page, '[role=dialog] img')
  await page.keyboard.press('Escape')

  const own = await pageOf(reader)
  await own.goto('profile')
  await own.getByRole('button', { name: 'My ID card' }).click()
  await expectDrawn(own, '[role=dialog] img')
  await expectAccessible(own, 'the own card with a photo')

  await openDesk(page)
  await scan(page, rollNumber ?? '')
  await expect(strip(page, name)).toBeVisible()
  await expectDrawn(page, `section[aria-label="Reader: ${name}"] img`)

  await page.goto(`people/${uid}`)
  await open()
  await dialog.getByRole('button', { name: 'Remove the photo…' }).click()
  await expect(dialog).toContainText('The photo will be deleted')
  await dialog.getByRole('button', { name: 'Remove the photo', exact: true }).click()
  await expectDone(page, `Photo of ${name} removed.`)
  await expect(page.locator(`img[alt="Photo of ${name}"]`)).toHaveCount(0)
})

test('R-PEOPLE-4 photos named by roll numbers are checked, imported from a ZIP file, and undone', async ({
  page,
  library,
  who,
  watch,
}) => {
  watch.excuse(/422/, /could not be imported/)
  const [first, second] = [await library.student({ name: 'Ira Zip' }), await library.student({ name: 'Ved Zip' })]
  const file = zipOf({
    [`class 8/${first.user.rollNumber}.png`]: PIXEL,
    [`class 8/${second.user.rollNumber}.jpg`]: PIXEL,
    'nobody-has-this.png': PIXEL,
  })
  await page.goto('import-people')
  await page.getByRole('link', { name: 'Photos', exact: true }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Import photos')
  await expectAccessible(page, 'the import of photos')
  const input = page.locator('input[type=file]')
  await input.setInputFiles({ name: 'photos.zip', mimeType: 'application/zip', buffer: Buffer.from('no archive') })
  await expect(page.getByRole('alert')).toContainText('This is not a ZIP file, or it is damaged.')
  await input.setInputFiles({ name: 'photos.zip', mimeType: 'application/zip', buffer: file })
  await expect(page.getByText('No person has the roll number nobody-has-this.')).toBeVisible()
  await expectAccessible(page, 'photos before their import')
  await page.getByRole('button', { name: 'Import 2 photos' }).click()
  await expect(page.getByRole('heading', { name: 'The photos are imported' })).toBeFocused()
  await expectAccessible(page, 'imported photos')
  const photo = async (uid: number) => (await present(who).ask<{ photo: string | null }>('GET', `/people/${uid}`)).photo
  expect(await photo(first.user.uid)).not.toBeNull()
  await page.getByRole('button', { name: 'Undo the whole import' }).click()
  await expect(question(page)).toContainText('2 photos will be removed.')
  await question(page).getByRole('button', { name: 'Undo the whole import' }).click()
  await expect(page.getByRole('heading', { name: 'The import is undone' })).toBeFocused()
  expect(await photo(first.user.uid)).toBeNull()
})
