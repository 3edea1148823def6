import { expectAccessible } from './support/accessible'
import { expectDone } from './support/screens'
import { expect, test } from './support/test'

test.use({ as: 'librarian', shelf: 'own' })

test('a librarian words a mail in both languages, sees how it reads, and resets it', async ({ page, watch }) => {
  // A text that is not whole yet has no preview and is not saved.
  watch.excuse(/422/, /wording could not be saved/)
  await page.goto('settings?tab=wording')
  const english = page.getByRole('group', { name: 'English' })
  const text = english.getByLabel('Text', { exact: true })
  await expect(english.getByRole('region', { name: 'Preview' })).toContainText('due back')
  await expectAccessible(page, 'the wording')

  await english.getByLabel('Subject').fill('Books of {name}')
  await text.fill('Namaste ')
  await english.getByRole('button', { name: 'Insert {name} into the text' }).click()
  await expect(text).toHaveValue('Namaste {name}')
  await expect(text).toBeFocused()
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(text).toHaveAccessibleDescription('The text must contain {books}.')
  await expect(text).toHaveValue('Namaste {name}')

  await text.press('End')
  await page.keyboard.type('\n\n')
  await english.getByRole('button', { name: 'Insert {books} into the text' }).click()
  await expect(english.getByRole('region', { name: 'Preview' })).toContainText('Books of ')
  await page.getByRole('button', { name: 'Save' }).click()
  await expectDone(page, 'Settings saved.')

  await page.reload()
  await expect(text).toHaveValue('Namaste {name}\n\n{books}')
  await english.getByRole('button', { name: 'Use the program’s wording' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await expectDone(page, 'Settings saved.')
  await expect(text).toHaveValue(/^Hello \{name\},/)

  const mail = page.getByLabel('Mail', { exact: true })
  await mail.selectOption('Password changed')
  await page.reload()
  await expect(mail).toHaveValue('password-changed')
})
