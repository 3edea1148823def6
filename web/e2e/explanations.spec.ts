import type { Loan } from '../src/api/types'
import { expectDone, expectRefused, question, row } from './support/screens'
import { expect, present, test } from './support/test'

type Rules = { categories: { rules: Record<string, unknown> }[] }

test.describe('for a librarian', () => {
  test.use({ as: 'librarian', shelf: 'own' })
  // The first test reads the rules of a new library; the second changes them.
  test.describe.configure({ mode: 'default' })

  test('every return date and fine says how it came about (Law 6)', async ({ page, library }) => {
    const [overdue] = await library.allLoans('')
    await page.goto(`fine?q=${encodeURIComponent(overdue?.rollNumber ?? '')}`)
    const why = page.locator('details').first()
    await why.getByText('Why?').click()
    await expect(why).toContainText(`₹${overdue?.fine} = ${overdue?.overdueDays} days × ₹5`)
    await expect(why).toContainText('7 days from')
  })

  test('an extension that a rule refuses names the rule, and is granted with a reason, which is kept', async ({
    page,
    library,
    who,
    watch,
  }) => {
    watch.excuse(/409/, /422/, /could not be extended/)
    const desk = present(who)
    const rules = await desk.ask<Rules>('GET', '/settings/rules')
    Object.assign(rules.categories[0]?.rules ?? {}, { maxRenewals: 0 })
    await desk.ask('PUT', '/settings/rules', rules)
    const reader = await library.student()
    const book = await library.addBook()
    const before = await reader.borrow(book.id)

    await page.goto(`fine?q=${reader.user.rollNumber ?? ''}`)
    await row(page, book.title)
      .getByRole('button', { name: /^Extend/ })
      .click()
    await expectRefused(page, 'This loan cannot be extended.')
    await question(page).getByRole('button', { name: 'Extend anyway' }).click()
    await expect(question(page).getByText('Reason is required.')).toBeVisible()
    await question(page).getByLabel('Reason').fill('Thesis is due')
    await question(page).getByRole('button', { name: 'Extend anyway' }).click()
    await expectDone(page, 'Return date extended successfully.')
    const after = (await reader.loans()).find(({ id }) => id === before.id)
    expect((after as Loan).returnDate > before.returnDate).toBe(true)

    await page.goto(`activity?book=${book.id}&action=renewed`)
    await expect(page.getByText('Against the rules: Thesis is due')).toBeVisible()
  })
})
