import { expectAccessible, expectNoSidewaysScroll } from './support/accessible'
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
    expect(scripts.filter((path) => path.includes('/hi-first-'))).toHaveLength(1)
    expect(scripts.filter((path) => path.includes('/en-first-'))).toEqual([])
    await expectAccessible(page, 'signing in, in Hindi')
  })

  test('what is missing in a form is said in Hindi', async ({ page }) => {
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

/** Text on the page that comes from no catalogue; the product's name is the same in every language. */
function notFromCatalogue(): string[] {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  const found: string[] = []
  while (walker.nextNode()) {
    const { parentElement, textContent } = walker.currentNode
    if (!parentElement?.checkVisibility() || parentElement.closest('[lang], script, style, #preloader')) continue
    const rest = (textContent ?? '').replaceAll(/⟦[^⟧]*⟧/g, '').replaceAll('My Library', '')
    if (/\p{L}/u.test(rest)) found.push(rest.trim())
  }
  return found
}

for (const script of ['pseudo', 'pseudo-rtl']) {
  for (const screen of ['login', 'register']) {
    test(`in ${script} every word of /${screen} comes from the catalogue and nothing leaves the page`, async ({
      page,
    }) => {
      for (const width of [320, 768, 1440]) {
        await page.setViewportSize({ width, height: 900 })
        await page.goto(`${screen}?lang=${script}`)
        await expect(page.getByRole('heading', { level: 1 })).toContainText('⟦')
        expect(await page.evaluate(notFromCatalogue)).toEqual([])
        await expectNoSidewaysScroll(page, `${screen} in ${script} at ${width}`)
      }
      await expectAccessible(page, `${screen} in ${script}`)
    })
  }
}

test('from right to left the form stands on the left and the picture on the right', async ({ page }) => {
  await page.goto('login?lang=pseudo-rtl')
  await expect(page.locator('html')).toHaveAttribute('dir', 'rtl')
  const form = await page.locator('form').boundingBox()
  const picture = await page.getByRole('complementary').boundingBox()
  expect(form?.x).toBeLessThan(picture?.x ?? 0)
})
