import { expectAccessible } from './support/accessible'
import { chunkOf } from './support/chunks'
import { expect, test } from './support/test'

test.describe('in Hindi', () => {
  test.use({ locale: 'hi-IN' })

  test('the browser asks for Hindi: the page is in Hindi, and English does not travel', async ({ page }) => {
    const scripts: string[] = []
    page.on('request', (request) => scripts.push(new URL(request.url()).pathname))
    await page.goto('login')
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('साइन इन')
    await expect(page).toHaveTitle('साइन इन · My Library')
    await expect(page.locator('html')).toHaveAttribute('lang', 'hi')
    expect(scripts.filter((path) => chunkOf('virtual:messages/hi-first').test(path))).toHaveLength(1)
    expect(scripts.filter((path) => chunkOf('virtual:messages/en-first').test(path))).toEqual([])
    await expectAccessible(page, 'signing in, in Hindi')
    // Missing fields of a form are reported in Hindi too.
    await page.goto('register')
    await page.getByRole('button', { name: 'खाता बनाएँ' }).click()
    await expect(page.getByText('पूरा नाम भरना ज़रूरी है।')).toBeVisible()
    await expect(page.getByLabel('पूरा नाम')).toBeFocused()
  })
})

test('a person changes the language by keyboard, stays on the switch, and the browser keeps it', async ({ page }) => {
  await page.goto('login')
  await page.getByRole('button', { name: 'हिन्दी' }).press('Enter')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('साइन इन')
  await expect(page.getByRole('button', { name: 'English' })).toBeFocused()
  await page.reload()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('साइन इन')
  await page.getByRole('button', { name: 'English' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Sign in')
})

test('the language of an address is kept for the next one, and an altered English is not', async ({ page }) => {
  await page.goto('login?lang=hi')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('साइन इन')
  await page.goto('login')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('साइन इन')
  await page.goto('login?lang=pseudo')
  await expect(page.locator('html')).toHaveAttribute('lang', 'en-XA')
  await page.goto('login')
  await expect(page.locator('html')).toHaveAttribute('lang', 'hi')
})

test('from right to left the form stands on the left and the picture on the right', async ({ page }) => {
  await page.goto('login?lang=pseudo-rtl')
  await expect(page.locator('html')).toHaveAttribute('dir', 'rtl')
  const panel = page.getByRole('complementary')
  await expect
    .poll(async () => {
      const [form, picture] = [await page.locator('form').boundingBox(), await panel.boundingBox()]
      return form !== null && picture !== null && form.x < picture.x
    })
    .toBe(true)
})
