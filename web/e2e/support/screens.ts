import { expect, type Locator, type Page } from '@playwright/test'
import { ZONE } from './zone'

/** Card of a book in a grid. */
export const card = (page: Page, title: string): Locator =>
  page.getByRole('article').filter({ has: page.getByRole('link', { name: title, exact: true }) })

export const search = (page: Page): Locator => page.getByRole('searchbox')

export const heading = (page: Page): Locator => page.getByRole('heading', { level: 1 })

/** Question before a change. */
export const question = (page: Page): Locator => page.getByRole('dialog')

export async function expectDone(page: Page, words: string): Promise<void> {
  // The previous notice may still be leaving.
  await expect(page.getByRole('status').filter({ hasText: words }).last()).toBeVisible()
}

export async function expectRefused(page: Page, words: string | RegExp): Promise<void> {
  await expect(page.getByRole('alert').filter({ hasText: words })).toBeVisible()
}

/** Returns the number of cards in the first row. */
export async function cardsPerRow(page: Page): Promise<number> {
  await expect(page.getByRole('article').first()).toBeVisible()
  const tops = await page
    .getByRole('article')
    .evaluateAll((cards) => cards.map((element) => Math.round(element.getBoundingClientRect().top)))
  return tops.filter((top) => top === tops[0]).length
}

/** Table row named by its first cell, or containing the text. */
export const row = (page: Page, text: string): Locator => page.getByRole('row').filter({ hasText: text })

/** Returns the day `days` from now in the library's time zone: 2026-11-28. */
export const libraryDate = (days: number): string =>
  new Intl.DateTimeFormat('en-CA', { timeZone: ZONE }).format(Date.now() + days * 86_400_000)

/** Returns the same day as the screens show it: 28 Nov 2026. */
export function libraryDay(days: number): string {
  const [year, month, date] = libraryDate(days).split('-').map(Number)
  const name = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'][(month ?? 1) - 1]
  return `${date} ${name} ${year}`
}

/** Presses a star like a pointer: the radio button itself is hidden. */
export async function chooseStars(page: Page, name: string): Promise<void> {
  const radio = page.getByRole('radio', { name, exact: true })
  await page.locator('label').filter({ has: radio }).click()
  await expect(radio).toBeChecked()
}
