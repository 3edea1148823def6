import type { Page } from '@playwright/test'
import { LONG } from './support/library'
import { expect, test } from './support/test'

test.use({ as: 'librarian', shelf: 'long' })

/** Position and title of every rendered book. */
const books = (page: Page) =>
  page
    .locator('[aria-posinset]')
    .evaluateAll((items) =>
      items.map((item) => [item.getAttribute('aria-posinset'), item.querySelector('h2')?.textContent]),
    )

test('W29 far down a long list its first pages are let go, on the way back they come again, and nothing jumps', async ({
  page,
}) => {
  test.slow()
  const asked: (string | null)[] = []
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url())
    if (pathname.endsWith('/books') && searchParams.get('limit') === '60') asked.push(searchParams.get('cursor'))
  })
  await page.goto('home')
  await expect(page.getByText(`${LONG} books`)).toBeVisible()
  const last = page.getByRole('link', { name: `Volume 0${LONG}`, exact: true })
  const toTheEnd = () =>
    page.waitForFunction(
      (place) => {
        window.scrollTo(0, document.documentElement.scrollHeight)
        return document.querySelector(`[aria-posinset="${place}"] h2`) !== null
      },
      LONG,
      { timeout: 40_000 },
    )
  await toTheEnd()
  await expect(last).toBeVisible()
  expect(asked).toHaveLength(LONG / 60)
  await expect(page.getByRole('button', { name: 'Load more' })).toHaveCount(0)
  // Dropped rows keep their room.
  const [list, upper, lower] = await Promise.all([
    page.getByRole('list').filter({ has: last }).boundingBox(),
    page.locator(`[aria-posinset="${LONG - 6}"]`).boundingBox(),
    page.locator(`[aria-posinset="${LONG}"]`).boundingBox(),
  ])
  const row = (lower?.y ?? 0) - (upper?.y ?? 0)
  expect((list?.height ?? 0) / row).toBeGreaterThan(LONG / 6 - 3)

  asked.length = 0
  // A key's smooth scrolling ends where the page's height changes under it.
  await expect(async () => {
    await page.keyboard.press('Home')
    await expect(page.getByRole('link', { name: 'Volume 0001', exact: true })).toBeInViewport({ timeout: 2000 })
  }).toPass()
  // Ten of twelve pages are kept: two are fetched again, the first without a cursor.
  expect(asked).toHaveLength(2)
  expect(asked[1]).toBeNull()
  for (const [place, title] of await books(page)) expect(title).toBe(`Volume ${place?.padStart(4, '0')}`)

  // And down again, beyond the kept pages.
  await toTheEnd()
  for (const [place, title] of await books(page)) expect(title).toBe(`Volume ${place?.padStart(4, '0')}`)
})

test('L26 as rows, the books that were dropped on the way down can be shown again', async ({ page }) => {
  test.slow()
  await page.goto('home')
  await page.getByRole('button', { name: 'List', exact: true }).click()
  const [first, last] = ['Volume 0001', `Volume 0${LONG}`].map((name) => page.getByRole('link', { name, exact: true }))
  const [more, earlier] = ['Load more', 'Show earlier books'].map((name) => page.getByRole('button', { name }))
  await expect(first!).toBeVisible()
  // The last page has no button, and the first one none above it.
  while (await more!.isVisible()) await more!.click()
  await expect(last!).toBeVisible()
  await expect(first!).toBeHidden()
  while (await earlier!.isVisible()) await earlier!.click()
  await expect(first!).toBeVisible()
})
