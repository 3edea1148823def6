import type { Page } from '@playwright/test'
import type { Registration, User } from '../src/api/types'
import { heading } from './support/screens'
import { expect, test } from './support/test'

const field = (page: Page, name: string) => page.getByLabel(name, { exact: true })
const create = (page: Page) => page.getByRole('button', { name: 'Create Account' })

async function fill(page: Page, { name, email, password, rollNumber, department, batch }: Registration): Promise<void> {
  await field(page, 'Full name').fill(name)
  await field(page, 'Email').fill(email)
  await field(page, 'Password').fill(password)
  await field(page, 'Roll number').fill(rollNumber)
  await field(page, 'Department').fill(department)
  await field(page, 'Batch').selectOption(batch)
}

test('R-REG-1 Create Account asks for six things, all required, and leads back to sign in', async ({ page }) => {
  await page.goto('register')
  await expect(heading(page)).toHaveText('Create Account')
  await expect(page).toHaveTitle('Create Account · My Library')
  await create(page).click()
  for (const name of ['Full name', 'Email', 'Password', 'Roll number', 'Department', 'Batch']) {
    await expect(field(page, name)).toHaveAttribute('required')
    await expect(field(page, name)).toHaveAccessibleDescription(new RegExp(`${name} is required.`))
  }
  await expect(field(page, 'Full name')).toBeFocused()
  await page.getByRole('link', { name: 'Sign in' }).click()
  await expect(page).toHaveURL(/\/login$/)
  await expect(heading(page)).toHaveText('Sign in')
  await expect(field(page, 'Email')).toBeFocused()
})

test('R-REG-2 the roll number is lower-cased as it is typed, and the cursor stays', async ({ page }) => {
  await page.goto('register')
  const roll = field(page, 'Roll number')
  await roll.pressSequentially('CS26')
  await expect(roll).toHaveValue('cs26')
  await roll.press('Home')
  await roll.pressSequentially('X')
  await roll.pressSequentially('Y')
  await expect(roll).toHaveValue('xycs26')
})

test('R-REG-2 the batch is one of 2025, 2026, 2027 and 2028', async ({ page }) => {
  await page.goto('register')
  const offered = field(page, 'Batch').locator('option:not([disabled])')
  await expect(offered).toHaveText(['2025', '2026', '2027', '2028'])
})

test('R-REG-5 a double click after a refusal registers once, and the email is still filled in', async ({
  page,
  library,
  watch,
}) => {
  watch.excuse(/422/)
  const registration = library.registration()
  await page.goto('register')
  await fill(page, { ...registration, password: 'password1' })
  await create(page).click()
  await expect(page.getByRole('alert')).toBeVisible()
  await field(page, 'Password').fill(registration.password)
  await create(page).dblclick({ delay: 30 })
  await expect(page).toHaveURL(/\/login$/)
  await expect(page.getByRole('status').filter({ hasText: 'Account created.' })).toBeVisible()
  await expect(field(page, 'Email')).toHaveValue(registration.email)
})

test('R-REG-3 R-REG-5 anyone may register, is told so at the sign-in with the email filled in, and is a student', async ({
  page,
  library,
}) => {
  const registration = library.registration({ rollNumber: `Ma25-${Date.now() % 100_000}` })
  await page.goto('register')
  await fill(page, registration)
  await create(page).click()
  await expect(page).toHaveURL(/\/login$/)
  await expect(page.getByRole('status').filter({ hasText: 'Account created.' })).toBeVisible()
  await expect(field(page, 'Email')).toHaveValue(registration.email)
  await expect(field(page, 'Password')).toBeFocused()
  await page.keyboard.type(registration.password)
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/student-home$/)
  const { user } = await library.signIn(registration.email, registration.password)
  expect(user).toMatchObject({ role: 'student', rollNumber: registration.rollNumber.toLowerCase() })
})

test('R-REG-3 a request that asks for another role makes no administrator', async ({ library }) => {
  const answer = await library.call<User>('POST', '/auth/register', { ...library.registration(), role: 'admin' })
  expect(answer.status === 201 ? answer.body.role : 'refused').toMatch(/^(student|refused)$/)
})

test('R-REG-4 R-REG-5 an email or roll number that is in use, in any case, is refused in words, and nothing is lost', async ({
  page,
  library,
  watch,
}) => {
  watch.refuses(409)
  const { user } = await library.student()
  const mine = library.registration()
  await page.goto('register')
  await fill(page, { ...mine, email: user.email.toUpperCase() })
  await create(page).click()
  const alert = page.getByRole('alert')
  await expect(alert).toContainText(/email/i)
  await expect(field(page, 'Email')).toBeFocused()
  await expect(field(page, 'Password')).toHaveValue(mine.password)

  await field(page, 'Email').fill(mine.email)
  await field(page, 'Roll number').fill((user.rollNumber ?? '').toUpperCase())
  await create(page).click()
  await expect(alert).toContainText(/roll number/i)
  await expect(field(page, 'Roll number')).toBeFocused()

  await field(page, 'Roll number').fill(mine.rollNumber)
  await create(page).click()
  await expect(page).toHaveURL(/\/login$/)
})

test('R-REG-4 R-REG-5 a password among the commonest is refused with advice', async ({ page, library, watch }) => {
  watch.refuses(422)
  await page.goto('register')
  await fill(page, { ...library.registration(), password: 'password1' })
  await create(page).click()
  await expect(page.getByRole('alert')).toContainText(/.+/)
  await expect(field(page, 'Password')).toHaveAccessibleDescription(/among the most common/)
  await expect(field(page, 'Password')).toBeFocused()
})

test('R-REG-5 a password has 8 to 128 characters of any kind', async ({ page, library }) => {
  await page.goto('register')
  const registration = library.registration()
  await fill(page, { ...registration, password: 'seven77' })
  await create(page).click()
  await expect(field(page, 'Password')).toHaveAccessibleDescription(/Password must be at least 8 characters./)
  await field(page, 'Password').fill('x'.repeat(129))
  await create(page).click()
  await expect(field(page, 'Password')).toHaveAccessibleDescription(/Password must be at most 128 characters./)
  await field(page, 'Password').fill('ಓದುವ ಮನೆ 📚')
  await create(page).click()
  await expect(page).toHaveURL(/\/login$/)
})

test('6.2.6 6.2.7 a password is hidden until asked for, may be pasted, and its manager knows the field', async ({
  page,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  for (const [path, manager] of [
    ['register', 'new-password'],
    ['login', 'current-password'],
  ] as const) {
    await page.goto(path)
    const password = field(page, 'Password')
    await expect(password).toHaveAttribute('type', 'password')
    await expect(password).toHaveAttribute('autocomplete', manager)
    await page.evaluate(() => navigator.clipboard.writeText('four unrelated words'))
    await password.focus()
    await page.keyboard.press('ControlOrMeta+V')
    await expect(password).toHaveValue('four unrelated words')
    await page.getByRole('button', { name: 'Show password' }).click()
    await expect(password).toHaveAttribute('type', 'text')
  }
})

test('R-REG-4 without a connection it is said in words, and what was typed can be sent again', async ({
  page,
  library,
  watch,
}) => {
  watch.excuse(/ERR_INTERNET_DISCONNECTED/)
  await page.goto('register')
  const registration = library.registration()
  await fill(page, registration)
  await page.context().setOffline(true)
  await create(page).click()
  await expect(page.getByRole('alert')).toContainText('The library cannot be reached.')
  await expect(field(page, 'Full name')).toHaveValue(registration.name)
  await page.context().setOffline(false)
  await create(page).click()
  await expect(page).toHaveURL(/\/login$/)
})
