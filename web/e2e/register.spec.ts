import type { Page } from '@playwright/test'
import type { Registration } from '../src/api/types'
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
