import type { Page } from '@playwright/test'
import { DEMO_PASSWORD, LIBRARIAN, PASSWORD } from './support/library'
import { expectDone, heading, question } from './support/screens'
import { expect, present, test } from './support/test'
import { codeOf, enrol } from './support/totp'

/** Gives the password on the sign-in screen. */
async function password(page: Page, email: string, word: string) {
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(word)
  await page.keyboard.press('Enter')
}

test.describe('of librarians, where it is required', () => {
  test.use({ shelf: 'fresh', served: ['--second-factor=librarians'] })

  test('6.3.3 is set up before anything else, by keyboard alone, and asked for from then on', async ({
    page,
    watch,
  }) => {
    await page.goto('login?next=%2Fpeople')
    await password(page, LIBRARIAN, DEMO_PASSWORD)
    await expect(heading(page)).toHaveText('Security')
    await expect(page.getByText('One thing before you begin')).toBeVisible()
    await expect(page.getByRole('link', { name: 'Desk' })).toBeHidden()
    await page.goto('people')
    await expect(heading(page)).toHaveText('Security')

    await page.getByRole('button', { name: 'Set up', exact: true }).focus()
    await page.keyboard.press('Enter')
    await expect(question(page).getByLabel('Current password')).toBeFocused()
    await page.keyboard.type(DEMO_PASSWORD)
    await page.keyboard.press('Enter')
    await expect(page.getByRole('img', { name: 'QR code for the authenticator app' })).toBeVisible()
    const secret = (await question(page).locator('code').innerText()).replace(/\s/g, '')
    const code = question(page).getByLabel('Code from your authenticator app')
    await expect(code).toBeFocused()
    await page.keyboard.type('000000')
    watch.refuses(422)
    await page.keyboard.press('Enter')
    await expect(code).toHaveAccessibleDescription(/This code is not right/)
    await code.fill(codeOf(secret))
    await page.keyboard.press('Enter')
    const codes = question(page).getByRole('listitem')
    await expect(codes).toHaveCount(10)
    await page.keyboard.press('Escape')
    await expect(codes).toHaveCount(10)
    const recovery = await codes.first().innerText()
    await question(page).getByRole('button', { name: 'I have saved them' }).press('Enter')
    await expect(page.getByText(/10 recovery codes are left/)).toBeVisible()
    await page.getByRole('link', { name: 'Desk' }).click()
    await expect(heading(page)).toHaveText('Desk')

    await page.getByRole('button', { name: 'Logout' }).click()
    await expect(page).toHaveURL(/login/)
    watch.refuses(401)
    await password(page, LIBRARIAN, DEMO_PASSWORD)
    const asked = page.getByLabel('Code from your authenticator app')
    await expect(heading(page)).toHaveText('One more step')
    await expect(asked).toBeFocused()
    await page.keyboard.type(codeOf(secret, -5))
    await page.keyboard.press('Enter')
    await expect(page.getByRole('alert')).toContainText('This code is not right')
    await page.getByRole('button', { name: 'Use a recovery code' }).press('Enter')
    await expect(page.getByLabel('Recovery code', { exact: true })).toBeFocused()
    await page.keyboard.type(recovery.toLowerCase())
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL(/home/)
    await page.goto('security')
    await expect(page.getByText(/9 recovery codes are left/)).toBeVisible()
  })
})

test.describe('of a student', () => {
  test.use({ as: 'student' })

  test('is turned off with password and code', async ({ page, who }) => {
    const secret = await enrol(present(who))
    await page.goto('security')
    await page.getByRole('button', { name: 'Turn off' }).click()
    await question(page).getByLabel('Current password').fill(PASSWORD)
    await question(page).getByLabel('Code from your authenticator app').fill(codeOf(secret, 1))
    await question(page).getByRole('button', { name: 'Turn off' }).click()
    await expectDone(page, 'Two-step sign-in is off.')
    await expect(page.getByRole('button', { name: 'Set up', exact: true })).toBeVisible()
  })

  test('6.5 is reset by a librarian when it is lost, and a new password does not skip it', async ({
    page,
    pageOf,
    library,
    who,
    watch,
  }) => {
    const student = present(who)
    const secret = await enrol(student)
    const librarian = await library.librarian()
    const { code } = await librarian.ask<{ code: string }>('POST', `/people/${student.user.uid}/sign-in-code`)
    watch.refuses(401)
    await page.context().clearCookies()
    await page.goto('redeem')
    await page.getByLabel('Code').fill(code)
    await page.getByLabel('Roll number').fill(student.user.rollNumber ?? '')
    await page.getByLabel('New password').fill('four quite new words')
    await page.keyboard.press('Enter')
    await expect(heading(page)).toHaveText('One more step')
    await expect(page.getByLabel('Code from your authenticator app')).toBeFocused()
    await page.keyboard.type(codeOf(secret, 1))
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL(/student-home/)

    const desk = await pageOf(librarian)
    await desk.goto(`people/${student.user.uid}`)
    await desk.getByRole('main').getByRole('button', { name: 'More' }).click()
    await desk.getByRole('menuitem', { name: 'Reset two-step sign-in' }).click()
    await question(desk).getByRole('button', { name: 'Reset' }).click()
    await expectDone(desk, `${student.user.name} now signs in with the password alone.`)
    await library.signIn(student.user.email, 'four quite new words')
  })
})
