import { Library, PASSWORD } from './support/library'
import { heading } from './support/screens'
import { expect, prepare, test } from './support/test'
import { Watch } from './support/watch'

test('R-ROLE-3 the printed address makes the first librarian, whose home lists the first steps and ticks what is done', async ({
  browser,
}) => {
  const library = await Library.start('unmade')
  const watch = new Watch(library.origin)
  const context = await browser.newContext({ baseURL: library.url })
  await prepare(context, watch, false)
  const page = await context.newPage()

  // The sign-in leads to the setup, which says how to get the address.
  await page.goto('login')
  await expect(heading(page)).toHaveText('Set up your library')
  await expect(page.getByText('it prints an address with a code')).toBeVisible()

  await page.goto(library.setup)
  await expect(page.getByText('it prints an address with a code')).toHaveCount(0)
  await page.getByRole('button', { name: 'Create the library' }).click()
  await expect(page.getByText('Full name is required.')).toBeVisible()
  await expect(page.getByLabel('Full name')).toBeFocused()
  await page.getByLabel('Full name').fill('Meera Iyer')
  await page.getByLabel('Email').fill('meera@college.test')
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/home$/)
  const steps = page.getByRole('region', { name: 'First steps' })
  await expect(steps).toContainText('0 of 6 done')

  await steps.getByRole('button', { name: 'Rules and closed days' }).click()
  await page.getByRole('radio', { name: 'College' }).click()
  await page.getByRole('button', { name: 'Save rules and closed days' }).click()
  await expect(steps).toContainText('1 of 6 done')
  await steps.getByRole('link', { name: 'Name your library' }).click()
  await page.getByLabel('Name', { exact: true }).fill('Saraswati Library')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('link', { name: 'Home', exact: true }).click()
  await expect(steps).toContainText('2 of 6 done')

  await steps.getByRole('button', { name: 'Hide this list' }).click()
  await expect(steps).toHaveCount(0)
  await page.reload()
  await expect(heading(page)).toHaveText('Books')
  await expect(steps).toHaveCount(0)

  // The code is dead, and the setup is closed.
  await page.goto(library.setup)
  await expect(page.getByText('This library already has a librarian.')).toBeVisible()
  await context.close()
  await library.stop()
  expect(watch.faults).toEqual([])
})
