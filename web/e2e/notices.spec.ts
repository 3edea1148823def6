import type { Hold } from '../src/api/types'
import { expect, present, test } from './support/test'

test.describe('a student', () => {
  test.use({ as: 'student' })

  test('R-HOLD-2 learns from the bell and at home that a copy is kept, and reads it once', async ({
    page,
    library,
    who,
  }) => {
    const book = await library.addBook({ noOfBooks: 1 })
    const loan = await (await library.student()).borrow(book.id)
    await present(who).ask<Hold>('POST', `/books/${book.id}/holds`)
    await (await library.desk()).ask('POST', `/loans/${loan.id}/return`, { restock: true })
    await page.goto('student-home')
    const urgent = page.getByRole('region', { name: 'Waiting for you' })
    await expect(urgent.getByRole('link', { name: `“${book.title}” is kept for you until` })).toBeVisible()
    const bar = page.getByRole('navigation', { name: 'Main' })
    await bar.getByRole('link', { name: 'Notices, 1 unread' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'Notices' })).toBeVisible()
    await expect(page.getByRole('listitem').filter({ hasText: book.title })).toContainText('Unread')
    await expect(bar.getByRole('link', { name: 'Notices', exact: true })).toBeVisible()
    await page.getByRole('link', { name: `“${book.title}” is kept for you until` }).click()
    await expect(page).toHaveURL(new RegExp(`/stubook-detail/${book.id}$`))
    await page.goto('student-home')
    await expect(page.getByRole('searchbox')).toBeVisible()
    await expect(urgent).toHaveCount(0)
  })
})

test.describe('a student with the page open', () => {
  test.use({ as: 'student' })

  test('sees the bell change as a notice comes, and as another tab reads it', async ({ page, library, who }) => {
    await page.goto('student-home')
    const bell = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Notices' })
    const stream = page.waitForResponse('**/api/v1/me/notices/unread')
    await expect(bell).toBeVisible()
    await stream
    const charge = { amount: 5, kind: 'damage', reason: 'Torn cover' }
    await (await library.desk()).ask('POST', `/people/${present(who).user.uid}/charges`, charge)
    await expect(bell).toHaveAccessibleName('Notices, 1 unread')
    await present(who).ask('POST', '/me/notices/read', { upTo: Number.MAX_SAFE_INTEGER })
    await expect(bell).toHaveAccessibleName('Notices')
  })

  test('reads on the list what comes meanwhile, and goes to sign-in when a librarian ends the session', async ({
    page,
    library,
    who,
    watch,
  }) => {
    await page.goto('notices')
    await page.waitForResponse('**/api/v1/me/notices/unread')
    const charge = { amount: 5, kind: 'damage', reason: 'Torn spine' }
    const [desk, { uid }] = [await library.desk(), present(who).user]
    await desk.ask('POST', `/people/${uid}/charges`, charge)
    await expect(page.getByRole('listitem').filter({ hasText: 'Torn spine' })).toBeVisible()
    const bell = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Notices' })
    await expect(bell).toHaveAccessibleName('Notices')
    // The page may still be asking for the list when its session ends.
    watch.refuses(401)
    await desk.ask('DELETE', `/people/${uid}/sessions`)
    await expect(page).toHaveURL(/\/login/)
  })
})

test.describe('a librarian', () => {
  test.use({ as: 'librarian' })

  test('R-PEOPLE-2 sees what a person was told, and chooses what is sent (R-RULE-1)', async ({
    page,
    library,
    watch,
  }) => {
    watch.excuse(/422/, /could not be saved/)
    const reader = await library.student()
    const librarian = await library.desk()
    await librarian.ask('POST', `/people/${reader.user.uid}/charges`, {
      amount: 5,
      kind: 'damage',
      reason: 'Torn page',
    })
    await page.goto(`people/${reader.user.uid}`)
    const told = page.getByRole('region', { name: 'Notices' })
    await expect(told.getByRole('listitem')).toContainText('₹5 was charged: Torn page Not read yet.')

    await page.goto('settings?tab=notices')
    const days = page.getByLabel('Days after the due date')
    await days.fill('1, seven')
    await page.getByRole('button', { name: 'Save' }).click()
    await expect(days).toHaveValue('1, seven')
    await expect(days).toBeFocused()
    await days.fill('0, 400')
    await page.getByRole('button', { name: 'Save' }).click()
    await expect(page.getByText('must be a whole number from 1 to 365')).toBeVisible()
    await days.fill('7, 1')
    await page.getByRole('button', { name: 'Save' }).click()
    await expect(days).toHaveValue('1, 7')
  })
})
