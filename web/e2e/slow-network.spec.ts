import { expect, present, test } from './support/test'

test.use({ as: 'student' })

test('W31 on a slow network the list announces itself, and a slow loan is shown on its way and told once', async ({
  page,
  context,
  library,
  who,
}) => {
  test.slow()
  const book = await library.addBook()
  // A 3G phone at the edge of its cell.
  const devtools = await context.newCDPSession(page)
  await devtools.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 400,
    downloadThroughput: 50_000,
    uploadThroughput: 50_000,
  })
  // Delays the list until the test has seen its loading state, which polling could miss.
  let isAwaited = () => {}
  const awaited = new Promise<void>((resolve) => {
    isAwaited = resolve
  })
  await page.route(/\/api\/v1\/books\?/, async (route) => {
    await awaited
    await route.continue()
  })
  await page.goto(`student-home?q=${encodeURIComponent(book.title)}`, { waitUntil: 'commit', timeout: 20_000 })
  const list = page.getByRole('region', { name: 'Books' })
  await expect(list.locator('.mantine-Skeleton-root').first()).toBeVisible({ timeout: 20_000 })
  isAwaited()
  const link = list.getByRole('link', { name: book.title, exact: true })
  await expect(link).toBeVisible({ timeout: 20_000 })
  await expect(list.locator('.mantine-Skeleton-root')).toHaveCount(0)

  await link.click()
  const borrow = page.getByRole('button', { name: 'Borrow' })
  // The answer comes once the button was pressed again: on a busy machine that may take longer than the network.
  let isPressedAgain = () => {}
  const pressedAgain = new Promise<void>((resolve) => {
    isPressedAgain = resolve
  })
  await page.route(/\/books\/\d+\/loans$/, async (route) => {
    await pressedAgain
    await route.continue()
  })
  await borrow.click({ timeout: 20_000 })
  await expect(borrow).toHaveAttribute('data-loading', 'true')
  await expect(borrow).toBeDisabled()
  await borrow.click({ force: true })
  isPressedAgain()
  const told = page.getByText('is yours until')
  await expect(told).toBeVisible({ timeout: 20_000 })
  await expect(page).toHaveURL(/\/student-home/)
  await expect(told).toHaveCount(1)
  expect(await present(who).loans()).toHaveLength(1)
})
