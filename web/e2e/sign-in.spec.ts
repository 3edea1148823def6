import type { BrowserContext, Page } from '@playwright/test'
import { DEMO_PASSWORD, LIBRARIAN, PASSWORD, STUDENT } from './support/library'
import { expect, present, test } from './support/test'

const email = (page: Page) => page.getByLabel('Email')
const password = (page: Page) => page.getByLabel('Password', { exact: true })
const button = (page: Page) => page.getByRole('button', { name: 'Sign In', exact: true })
const storedRole = (page: Page) => page.evaluate(() => localStorage.getItem('userRole'))

async function signIn(page: Page, address: string, word: string): Promise<void> {
  await email(page).fill(address)
  await password(page).fill(word)
  await button(page).click()
}

test('R-LOGIN-1 R-SHELL-5 the root of the host leads to the form, which asks for an address and a password itself', async ({
  page,
  library,
}) => {
  const sent: string[] = []
  page.on('request', (request) => sent.push(request.url()))
  await page.goto(`${library.origin}/`)
  await expect(page).toHaveURL(`${library.origin}/library/`)
  await expect(page).toHaveTitle('Sign in · My Library')
  await expect(page.getByRole('button', { name: 'Scan ID Card' })).toHaveAttribute('aria-expanded', 'false')
  await expect(email(page)).toHaveAttribute('type', 'email')
  await expect(password(page)).toHaveAttribute('type', 'password')
  // The browser would ask in its own language.
  await page.goto('?lang=hi')
  await page.getByRole('button', { name: 'साइन इन करें', exact: true }).click()
  await expect(page.getByText('ईमेल भरना ज़रूरी है।')).toBeVisible()
  await page.goto('?lang=en')
  await button(page).click()
  await expect(email(page)).toHaveAccessibleDescription('Email is required.')
  await expect(email(page)).toBeFocused()
  await email(page).fill('no-address')
  await password(page).fill('something')
  await button(page).click()
  await expect(email(page)).toHaveAccessibleDescription('Email must be an address like name@college.edu.')
  await email(page).fill(LIBRARIAN)
  await password(page).fill('')
  await button(page).click()
  await expect(password(page)).toHaveAccessibleDescription('Password is required.')
  await expect(password(page)).toBeFocused()
  expect(sent.filter((url) => url.endsWith('/auth/sign-in'))).toEqual([])
  await page.getByRole('link', { name: 'Register' }).click()
  await expect(page).toHaveURL(/\/register$/)
})

test('R-LOGIN-2 nothing moves while the other ways to sign in are loaded', async ({ page }) => {
  let answer = () => undefined as void
  const mayAnswer = new Promise<void>((resolve) => (answer = resolve))
  await page.route('**/api/v1/auth/session', async (route) => {
    const response = await route.fetch()
    await mayAnswer
    await route.fulfill({ response, json: { ...(await response.json()), passkeys: true, mail: true } })
  })
  await page.goto('login')
  const places = () =>
    page
      .getByRole('main')
      .locator('input, button, a')
      .evaluateAll((all) => all.map((one) => Math.round(one.getBoundingClientRect().top)))
  await expect(page.getByRole('link', { name: 'I have a code' })).toBeVisible()
  // Read once: the page waits for the answer.
  const before = await places()
  answer()
  await expect(page.getByRole('button', { name: 'Sign in with a passkey' })).toBeVisible()
  await expect.poll(async () => (await places()).slice(0, before.length)).toEqual(before)
})

test('R-LOGIN-2 the branding panel stands on the left from medium width up and is hidden below', async ({ page }) => {
  const panel = page.getByRole('complementary', { name: 'My Library' })
  await page.goto('login')
  await expect(panel).toBeVisible()
  await expect(async () => {
    const [panelBox, formBox] = [await panel.boundingBox(), await email(page).boundingBox()]
    expect((panelBox?.x ?? 0) + (panelBox?.width ?? 0)).toBeLessThanOrEqual(formBox?.x ?? 0)
  }).toPass()
  await page.setViewportSize({ width: 768, height: 1024 })
  await expect(panel).toBeVisible()
  await page.setViewportSize({ width: 767, height: 1024 })
  await expect(panel).toBeHidden()
  await page.setViewportSize({ width: 390, height: 844 })
  await expect(panel).toBeHidden()
})

test('R-LOGIN-3 an administrator comes to /home, the role is stored, and Back does not return to the form', async ({
  page,
}) => {
  await page.goto('register')
  await page.getByRole('link', { name: 'Sign in' }).click()
  await expect(page).toHaveURL(/\/login$/)
  // The previous form has an Email too, and is shown until this one is drawn.
  await expect(page.getByRole('heading', { level: 1, name: 'Sign in' })).toBeVisible()
  await signIn(page, LIBRARIAN, DEMO_PASSWORD)
  await expect(page).toHaveURL(/\/library\/home$/)
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused()
  await expect.poll(() => storedRole(page)).toBe('admin')
  await page.goBack()
  await expect(page).toHaveURL(/\/register$/)
  await page.goForward()
  await expect(page).toHaveURL(/\/library\/home$/)
})

test('R-LOGIN-4 a wrong password and an unknown address get the same words, and the fields keep what was typed', async ({
  page,
  watch,
}) => {
  watch.refuses(401)
  await page.goto('login')
  const alert = page.getByRole('alert')
  for (const [address, word] of [
    [LIBRARIAN, 'not the password'],
    ['nobody@demo.library', DEMO_PASSWORD],
  ] as const) {
    await signIn(page, address, word)
    await expect(alert).toHaveText('Invalid email or password.')
    await expect(email(page)).toHaveValue(address)
    await expect(password(page)).toHaveValue(word)
    await expect(password(page)).toBeFocused()
    await expect.poll(() => storedRole(page)).toBeNull()
    // Typing replaces the selected password.
    await page.keyboard.type('x')
    await expect(password(page)).toHaveValue('x')
  }
  await signIn(page, LIBRARIAN, DEMO_PASSWORD)
  await expect(page).toHaveURL(/\/home$/)
})

const cookieCalled = async (name: string, context: BrowserContext) =>
  (await context.cookies()).find((cookie) => cookie.name === name)

test('R-LOGIN-6 the session ends with the browser, or after 30 days with Keep me signed in', async ({
  page,
  context,
}) => {
  await page.goto('login')
  await signIn(page, STUDENT, DEMO_PASSWORD)
  await expect(page).toHaveURL(/\/student-home$/)
  const session = await cookieCalled('library', context)
  expect(session).toMatchObject({ httpOnly: true, sameSite: 'Strict', path: '/', expires: -1 })
  // Read once: the session has begun.
  expect(await page.evaluate(() => document.cookie)).toBe('')

  await context.clearCookies()
  await page.goto('login')
  await page.getByRole('checkbox', { name: 'Keep me signed in' }).check()
  await signIn(page, STUDENT, DEMO_PASSWORD)
  await expect(page).toHaveURL(/\/student-home$/)
  const kept = await cookieCalled('library', context)
  expect(kept).toMatchObject({ httpOnly: true, sameSite: 'Strict' })
  const days = ((kept?.expires ?? 0) - Date.now() / 1000) / 86_400
  expect(days).toBeGreaterThan(29.9)
  expect(days).toBeLessThan(30.1)
})

test('U4 U21 signing in by keyboard alone: the email has the focus, the password comes next', async ({ page }) => {
  await page.goto('login')
  await expect(email(page)).toBeFocused()
  await page.keyboard.type(LIBRARIAN)
  await page.keyboard.press('Tab')
  await expect(password(page)).toBeFocused()
  // U4: the focus ring surrounds the whole box.
  await expect(password(page).locator('..')).toHaveCSS('outline-style', 'solid')
  await page.keyboard.type(DEMO_PASSWORD)
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/home$/)
})

test.describe('signing out', () => {
  test.use({ as: 'student' })

  test('R-LOGIN-7 Logout ends the session on the server, forgets the role and goes to /login', async ({
    page,
    who,
  }) => {
    const typed = () => page.evaluate(() => Object.keys(sessionStorage).filter((key) => key.startsWith('draft')))
    await page.goto('profile')
    await page.getByRole('button', { name: 'Edit Profile' }).click()
    await page.getByRole('textbox', { name: 'Department' }).fill('Physics')
    await expect.poll(typed).toHaveLength(1)
    await page.goto('student-home')
    await page.getByRole('button', { name: 'Logout' }).click()
    await expect(page).toHaveURL(/\/login$/)
    await expect.poll(() => storedRole(page)).toBeNull()
    expect(await typed()).toEqual([])
    expect((await present(who).call('GET', '/me')).status).toBe(401)
    await page.goBack()
    await expect(page).not.toHaveURL(/student-home/)
    await page.goto('student-home')
    await expect(page).toHaveURL(/\/login/)
  })
})

test.describe('the ID card', () => {
  test('R-SCAN-2 R-SCAN-9 a card typed by a keyboard wedge fills in the email, and only the password is missing', async ({
    page,
    library,
  }) => {
    const student = await library.student({ rollNumber: 'ee27-0815' })
    await page.goto('login')
    const toggle = page.getByRole('button', { name: 'Scan ID Card' })
    await toggle.click()
    await expect(toggle).toHaveAttribute('aria-expanded', 'true')
    const roll = page.getByRole('textbox', { name: 'Roll number' })
    await roll.fill('  EE27-0815 ')
    await roll.press('Enter')
    await expect(email(page)).toHaveValue(student.user.email)
    await expect(password(page)).toBeFocused()
    await expect(roll).toHaveCount(0)
    await page.keyboard.type(PASSWORD)
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL(/\/student-home$/)
  })
})
