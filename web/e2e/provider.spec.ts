import { expectAccessible } from './support/accessible'
import { DEMO_PASSWORD, Library, LIBRARIAN, STUDENT } from './support/library'
import { Provider, SECRET } from './support/provider'
import { heading } from './support/screens'
import { expect, test as base } from './support/test'

const test = base.extend<{ provider: Provider }>({
  // oxlint-disable-next-line no-empty-pattern -- the runner reads the names of the fixtures out of this pattern
  provider: async ({}, provide) => {
    const provider = await Provider.start()
    await provide(provider)
    await provider.stop()
  },
  library: async ({ provider }, provide) => {
    process.env['LIBRARY_OIDC_CLIENT_SECRET'] = SECRET
    const library = await Library.start('demo', provider.options)
    await provide(library)
    await library.stop()
  },
  watch: async ({ watch, provider }, provide) => {
    // The whole window goes to the provider; no other request may.
    watch.excuse(new RegExp(`^foreign host: ${provider.url}/authorize`))
    await provide(watch)
  },
})

const byProvider = { name: 'Sign in with College account' }

test('a student signs in at the college, is where they wanted to go, and ends the link', async ({ page, provider }) => {
  provider.claims = { sub: 'asha', email: STUDENT, email_verified: true }
  await page.goto('profile')
  await expect(page).toHaveURL(/login\?next=/)
  await expect(page.getByRole('button', byProvider)).toBeVisible()
  await expectAccessible(page, 'the form with the button')
  // By keyboard, in visual order: below the two links of new readers.
  await page.getByRole('button', { name: 'Scan ID Card' }).focus()
  for (let link = 0; link < 3; link++) await page.keyboard.press('Tab')
  await expect(page.getByRole('button', byProvider)).toBeFocused()
  await page.keyboard.press('Enter')

  // A cancelled sign-in is reported, and can be started again.
  await page.getByRole('link', { name: 'Give up' }).click()
  await expect(page.getByRole('alert')).toContainText('You did not finish signing in.')
  // Reported once: the address keeps the target, but not the outcome.
  await expect(page).toHaveURL(/login\?next=%2Fprofile$/)
  await expectAccessible(page, 'the form after giving up')
  await page.getByRole('button', byProvider).click()
  await page.getByRole('link', { name: 'Go on' }).click()
  await expect(heading(page)).toHaveText('User Profile')

  await page.goto('security')
  await expect(page.getByText(/^Connected since/)).toBeVisible()
  await expectAccessible(page, 'the security screen')
  await page.getByRole('button', { name: 'Disconnect College account' }).click()
  await expect(page.getByRole('heading', { name: 'Sign-in with College account' })).toBeFocused()
  await expect(page.getByText(/^Not connected/)).toBeVisible()
})

test('a librarian gives the password once; nobody else comes in by an address', async ({ page, provider, watch }) => {
  provider.claims = { sub: 'x', email: 'nobody@college.test', email_verified: true }
  await page.goto('login')
  await page.getByRole('button', byProvider).click()
  await page.getByRole('link', { name: 'Go on' }).click()
  await expect(page.getByRole('alert')).toContainText('The library does not know you yet.')

  provider.claims = { sub: 'meera', email: LIBRARIAN, email_verified: true }
  await page.getByRole('button', byProvider).click()
  await page.getByRole('link', { name: 'Go on' }).click()
  await expect(heading(page)).toHaveText('Connect your account')
  await expectAccessible(page, 'the form of the link')
  const password = page.getByLabel('Library password')
  await password.fill('not this one')
  watch.refuses(422)
  await page.keyboard.press('Enter')
  await expect(password).toHaveAccessibleDescription(/not your password/)
  await password.fill(DEMO_PASSWORD)
  await page.getByRole('button', { name: 'Connect and sign in' }).click()
  await expect(page).toHaveURL(/\/home$/)
})

test('whoever registered first with an address shares no account with its owner', async ({
  page,
  provider,
  library,
}) => {
  const { email } = (await library.student()).user
  provider.claims = { sub: 'owner', email, email_verified: true }
  await page.goto('login')
  await page.getByRole('button', byProvider).click()
  await page.getByRole('link', { name: 'Go on' }).click()
  await expect(heading(page)).toHaveText('Connect your account')
  await expect(page.getByText('already has an account with your address or roll number')).toBeVisible()
  await expectAccessible(page, 'the form of the link')
  await page.getByRole('link', { name: 'I have a code' }).click()
  await expect(heading(page)).toHaveText('Choose a password')
})

test('a provider that is down is said so in words, and the password opens the door', async ({
  page,
  provider,
  watch,
}) => {
  await provider.stop()
  await page.goto('login')
  watch.refuses(503)
  await page.getByRole('button', byProvider).click()
  await expect(page.getByRole('alert')).toContainText("The college's sign-in cannot be reached now.")
  await page.getByLabel('Email').fill(STUDENT)
  await page.getByLabel('Password', { exact: true }).fill(DEMO_PASSWORD)
  await page.getByRole('button', { name: 'Sign In', exact: true }).click()
  await expect(page).toHaveURL(/student-home/)
})
