import { heading } from './support/screens'
import { DEMO_PASSWORD, LIBRARIAN, PASSWORD, STUDENT } from './support/library'
import { expect, test } from './support/test'

test.describe('a visitor', () => {
  test('R-ROLE-2 after signing in the screen that was asked for is there', async ({ page }) => {
    await page.goto('fine?q=cs25')
    await expect(page).toHaveURL(/\/login\?next=/)
    await page.getByLabel('Email').fill(LIBRARIAN)
    await page.getByLabel('Password', { exact: true }).fill(DEMO_PASSWORD)
    await page.getByRole('button', { name: 'Sign In', exact: true }).click()
    await expect(page).toHaveURL(/\/fine\?q=cs25$/)
    await expect(heading(page)).toHaveText('All Borrowed Books')
  })

  test('R-ROLE-2 a way back that leads out of the library is not taken', async ({ page, library }) => {
    const { user } = await library.student()
    await page.goto(`login?next=${encodeURIComponent('//evil.test/')}`)
    await page.getByLabel('Email').fill(user.email)
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign In', exact: true }).click()
    await expect(page).toHaveURL(/\/library\/student-home$/)
  })
})

test.describe('a student', () => {
  test.use({ as: 'reader' })

  test('R-ROLE-2 is led from the screens of librarians to the student home', async ({ page }) => {
    await page.goto('update/1')
    await expect(page).toHaveURL(/\/student-home$/)
  })

  test('R-ROLE-2 is led away even with a forged role in the browser storage', async ({ page }) => {
    await page.goto('profile')
    await page.evaluate(() => localStorage.setItem('userRole', 'admin'))
    await page.goto('home')
    await expect(page).toHaveURL(/\/login|\/student-home/)
    await expect(page.getByRole('link', { name: 'Add New Book' })).toHaveCount(0)
  })
})

test.describe('a librarian', () => {
  test.use({ as: 'librarian' })

  test('R-ROLE-2 is led from the screens of students to the own home', async ({ page }) => {
    await page.goto('profile')
    await expect(page).toHaveURL(/\/home$/)
  })

  test('R-ROLE-3 is made on the command line; without the demo there is no account that everybody knows', async ({
    libraries,
  }) => {
    const empty = await libraries('empty')
    expect((await empty.librarian()).user.role).toBe('admin')
    const answer = await empty.call('POST', '/auth/sign-in', { email: STUDENT, password: DEMO_PASSWORD })
    expect(answer.status).toBe(401)
  })
})
