import { expect, test } from './support/test'

/** Statuses of a server that starts, is full, or has a broken proxy before it. */
const FAILURES = [
  { language: 'en', failure: { status: 500, contentType: 'application/json', body: '{}' } },
  { language: 'hi', failure: { status: 502, contentType: 'text/html', body: '<h1>Bad gateway</h1>' } },
  { language: 'en', failure: { status: 503, contentType: 'application/json', body: '{}' } },
]

test.describe('while every call fails', () => {
  test.use({ as: 'reader' })

  for (const { language, failure } of FAILURES) {
    test(`R-SHELL-2 ${failure.status} is told in ${language} words, and a student is not shown as a visitor`, async ({
      page,
      watch,
    }) => {
      watch.excuse(/./)
      await page.route('**/library/api/**', (route) => route.fulfill(failure))
      await page.goto(`student-home?lang=${language}`)
      await expect(page.getByRole('alert')).toBeVisible({ timeout: 20_000 })
      await expect(page.locator('#root')).not.toHaveText(/\b[a-z]+\.[a-z][a-zA-Z]+\b/)
      await expect(page.getByRole('link', { name: /^(Register|पंजीकरण)/ })).toHaveCount(0)
      // The page goes on by itself.
      await page.unroute('**/library/api/**')
      await expect(page.getByRole('searchbox')).toBeVisible({ timeout: 25_000 })
    })
  }
})
