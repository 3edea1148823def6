import type { Page } from '@playwright/test'
import { expectAccessible } from './support/accessible'
import { PASSWORD } from './support/library'
import { expectDone, heading, question } from './support/screens'
import { expect, present, test } from './support/test'

/** Adds Chromium's virtual authenticator, whose user verification can be switched. */
async function authenticator(page: Page) {
  const wire = await page.context().newCDPSession(page)
  await wire.send('WebAuthn.enable')
  const { authenticatorId } = await wire.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return {
    verifies: (isUserVerified: boolean) => wire.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified }),
  }
}

test.use({ as: 'student' })

test('6.3.3 a passkey is added, signs in alone and after the password, and is removed', async ({
  page,
  who,
  watch,
}) => {
  const { user } = present(who)
  const device = await authenticator(page)
  await page.goto('security')
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await question(page).getByLabel('Current password').fill(PASSWORD)
  await question(page).getByLabel('Name').fill('My laptop')
  await expectAccessible(page, 'adding a passkey')
  await device.verifies(false)
  await question(page).getByRole('button', { name: 'Continue' }).click()
  await expect(question(page).getByRole('alert')).toContainText('No passkey was made.')
  await device.verifies(true)
  await question(page).getByRole('button', { name: 'Continue' }).click()
  await expect(question(page).getByRole('listitem')).toHaveCount(10)
  await question(page).getByRole('button', { name: 'I have saved them' }).click()
  const own = page.getByRole('region', { name: 'Passkeys' }).getByRole('listitem')
  await expect(own).toContainText('My laptop')
  await expect(own).toContainText('not used yet')
  await expect(page.getByText(/10 recovery codes are left/)).toBeVisible()
  await expectAccessible(page, 'security with a passkey')

  await page.getByRole('button', { name: 'Logout' }).click()
  await expect(page).toHaveURL(/login/)
  const alone = page.getByRole('button', { name: 'Sign in with a passkey' })
  await device.verifies(false)
  await alone.click()
  await expect(page.getByRole('alert')).toContainText('No passkey was used.')
  await expectAccessible(page, 'sign-in without a passkey')
  await device.verifies(true)
  await alone.click()
  await expect(page).toHaveURL(/student-home/)

  await page.getByRole('button', { name: 'Logout' }).click()
  await page.getByLabel('Email').fill(user.email ?? '')
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  watch.refuses(401)
  await page.keyboard.press('Enter')
  await expect(heading(page)).toHaveText('One more step')
  await expect(page.getByRole('button', { name: 'Use a passkey' })).toBeFocused()
  await expectAccessible(page, 'the second step by a passkey')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/student-home/)

  await page.goto('security')
  await expect(own).toContainText('last used')
  await page.getByRole('button', { name: 'Remove the passkey My laptop' }).click()
  await question(page).getByLabel('Current password').fill(PASSWORD)
  await question(page).getByRole('button', { name: 'Remove' }).click()
  await expectDone(page, 'Passkey removed: My laptop.')
  await expect(page.getByRole('heading', { name: 'Passkeys' })).toBeFocused()
  await page.getByRole('button', { name: 'Logout' }).click()
  watch.refuses(401)
  await alone.click()
  await expect(page.getByRole('alert')).toContainText('This passkey did not work')
})
