import { PASSWORD } from './support/library'
import { heading } from './support/screens'
import { expect, present, test } from './support/test'
import type { Page } from '@playwright/test'

const field = (page: Page, name: string) => page.getByLabel(name, { exact: true })

test.describe('as a student', () => {
  test.use({ as: 'student' })

  test('7.5.2 signs out everywhere else, where one is led to sign in and then back', async ({
    page,
    pageOf,
    library,
    who,
    watch,
  }) => {
    const { user } = present(who)
    const elsewhere = await pageOf(await library.signIn(user.email, PASSWORD))
    await elsewhere.goto('profile')
    await expect(heading(elsewhere)).toHaveText('User Profile')

    await page.goto('profile')
    await page.getByRole('main').getByRole('link', { name: 'Security' }).click()
    await expect(heading(page)).toHaveText('Security')
    const sessions = page.getByRole('main').getByRole('listitem')
    await expect(sessions).toHaveCount(2)
    await expect(sessions.first()).toContainText('This browser')
    await page.getByRole('button', { name: 'Sign out everywhere else' }).click()
    await expect(page.getByText('You are signed in here only.')).toBeVisible()
    await expect(sessions).toHaveCount(1)

    watch.refuses(401)
    await elsewhere.keyboard.press('Shift')
    await expect(
      elsewhere.getByText('Your session ended. Sign in to continue; what you typed or scanned is kept.'),
    ).toBeVisible()
    await elsewhere.getByLabel('Email').fill(user.email)
    await elsewhere.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await elsewhere.getByRole('button', { name: 'Sign In', exact: true }).click()
    await expect(heading(elsewhere)).toHaveText('User Profile')
    await elsewhere.goto('security')
    await expect(elsewhere.getByRole('main').getByRole('listitem').first()).toContainText(/Chrom(e|ium) on Linux/)
  })

  test('6.2.2 changes the password with the one until now', async ({ page, library, who, watch }) => {
    const { user } = present(who)
    await page.goto('security')
    await field(page, 'Current password').fill('not this one')
    await field(page, 'New password').fill(`${user.rollNumber} 1`)
    watch.refuses(422)
    await page.getByRole('button', { name: 'Change password' }).click()
    await expect(field(page, 'Current password')).toHaveAccessibleDescription(/not your password/)
    await field(page, 'Current password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Change password' }).click()
    await expect(field(page, 'New password')).toHaveAccessibleDescription(/little more than your name/)
    await field(page, 'New password').fill('four other plain words')
    await page.getByRole('button', { name: 'Change password' }).click()
    await expect(page.getByText('Password changed. Other browsers are signed out.')).toBeVisible()
    await page.reload()
    await expect(heading(page)).toHaveText('Security')
    await library.signIn(user.email, 'four other plain words')
  })
})

test.describe('as a librarian', () => {
  test.use({ as: 'librarian' })

  test('R-PEOPLE-6 signs somebody out everywhere', async ({ page, library }) => {
    const student = await library.student()
    await page.goto(`people/${student.user.uid}`)
    await page.getByRole('main').getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Sign out everywhere' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out', exact: true }).click()
    await expect(page.getByText(`${student.user.name} is signed out everywhere.`)).toBeVisible()
    expect((await student.call('GET', '/me')).status).toBe(401)
  })
})
