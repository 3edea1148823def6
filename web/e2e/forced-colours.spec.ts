import type { Page } from '@playwright/test'
import { open } from './support/layout'
import { heading } from './support/screens'
import { expect, test } from './support/test'

/** Where somebody chose the colours, backgrounds and shadows are gone: edges and outlines must tell what is what. */
test.beforeEach(async ({ page }) => {
  await page.emulateMedia({ forcedColors: 'active', colorScheme: 'dark' })
})

/** Fields and buttons whose edge has the colour of the page behind it, or that have none. */
function withoutEdge(): string[] {
  const canvas = getComputedStyle(document.body).backgroundColor
  const things = document.querySelectorAll<HTMLElement>(
    '.mantine-Button-root, .mantine-Input-input, .mantine-Checkbox-input, .mantine-Badge-root, .mantine-Modal-content',
  )
  return [...things]
    .filter((thing) => thing.checkVisibility({ visibilityProperty: true }))
    .filter((thing) => {
      const { borderTopStyle, borderTopWidth, borderTopColor } = getComputedStyle(thing)
      return borderTopStyle === 'none' || parseFloat(borderTopWidth) === 0 || borderTopColor === canvas
    })
    .map((thing) => `${thing.className} ${thing.textContent}`)
}

const expectEdges = async (page: Page, screen: string) =>
  expect.soft(await page.evaluate(withoutEdge), screen).toEqual([])

test('W31 U13 the form of registration shows its fields, and which of them are wrong', async ({ page }) => {
  await open(page, 'register')
  await page.getByRole('button', { name: 'Create Account' }).click()
  const name = page.getByLabel('Full name')
  await expect(name).toBeFocused()
  await expect(page.getByText('Full name is required.')).toBeVisible()
  await expect(name).toHaveAttribute('aria-invalid', 'true')
  await expect(name).toHaveCSS('outline-style', 'solid')
  await expectEdges(page, 'registration')
})

test.describe('a librarian', () => {
  test.use({ as: 'librarian' })

  test('W31 U13 sees where one is, which card has the focus, and every button and field', async ({ page }) => {
    await open(page, 'home')
    const canvas = await page.evaluate(() => getComputedStyle(document.body).backgroundColor)
    const mark = page.getByRole('navigation', { name: 'Main' }).locator('[aria-current="page"]')
    await expect(mark).toHaveText('Home')
    expect(await mark.evaluate((link) => getComputedStyle(link, '::after').backgroundColor)).not.toBe(canvas)

    const first = page.locator('[data-result]').first()
    await page.getByRole('searchbox').press('ArrowDown')
    await expect(first).toBeFocused()
    const card = page.getByRole('article').first()
    await expect(card).toHaveCSS('outline-style', 'solid')
    await expect(card).not.toHaveCSS('outline-color', canvas)
    await expectEdges(page, 'home')

    for (const screen of ['add', 'settings', 'activity', 'holds', 'money', 'to-shelve', 'fine']) {
      await open(page, screen)
      await expectEdges(page, screen)
    }
    await page
      .getByRole('button', { name: /^Return: / })
      .first()
      .click()
    await expect(page.getByRole('dialog')).toBeVisible()
    await expectEdges(page, 'a question')
    await expect(heading(page)).toBeVisible()
  })
})
