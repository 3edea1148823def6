import { PASSWORD } from './support/library'
import { heading } from './support/screens'
import { expect, present, test } from './support/test'

test.use({ as: 'student' })

for (const [how, withChannels] of [
  ['at once', true],
  ['without channels, through the storage', false],
] as const) {
  test(`W1 two students in one browser: a tab never shows the one before, ${how}`, async ({
    page,
    context,
    library,
    who,
  }) => {
    if (!withChannels) await context.addInitScript(() => Reflect.deleteProperty(globalThis, 'BroadcastChannel'))
    const first = present(who)
    const second = await library.student()
    await page.goto('profile')
    await expect(page.getByRole('main').getByText(first.user.name)).toBeVisible()

    const other = await context.newPage()
    await other.goto('login')
    await other.getByLabel('Email').fill(second.user.email)
    await other.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await other.getByRole('button', { name: 'Sign In', exact: true }).click()
    await expect(heading(other)).toHaveText('Find a book')

    await expect(page.getByRole('main').getByText(second.user.name)).toBeVisible()
    await expect(page.getByText(first.user.name)).toHaveCount(0)
  })
}

test('W1 signed out on one tab is signed out on the other', async ({ page, context }) => {
  await page.goto('profile')
  await expect(heading(page)).toHaveText('User Profile')
  const other = await context.newPage()
  await other.goto('student-home')
  const reloads: string[] = []
  page.on('request', (request) => request.isNavigationRequest() && reloads.push(request.url()))
  await other.getByRole('button', { name: 'Logout' }).click()
  await expect(page).toHaveURL(/\/login/)
  // Two reloads at once sometimes crash Chromium's page.
  expect(reloads).toHaveLength(1)
})
