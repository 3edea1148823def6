import type { Person } from './support/library'
import { expectDone, expectRefused, libraryDate, libraryDay, question } from './support/screens'
import { expect, present, test as base } from './support/test'

const DOCUMENTS = ['rules', 'calendar', 'library'] as const

/** Rules affect everyone: the tests of this file have their own library, and each restores what it changed. */
const test = base.extend<{ putBack: void }>({
  putBack: [
    async ({ library }, provide) => {
      const desk = await library.desk()
      const before = await Promise.all(DOCUMENTS.map((name) => desk.ask<object>('GET', `/settings/${name}`)))
      // Restored rules apply from today.
      before[0] = { ...before[0], effectiveFrom: null }
      await provide()
      for (const [at, name] of DOCUMENTS.entries()) {
        const { headers } = await desk.call('GET', `/settings/${name}`)
        await desk.ask('PUT', `/settings/${name}`, before[at], { 'If-Match': headers.get('ETag') ?? '' })
      }
    },
    { auto: true },
  ],
})

test.use({ as: 'librarian', shelf: 'own' })
// In one worker, in order.
test.describe.configure({ mode: 'default' })

type Rules = { categories: { name: string; rules: Record<string, unknown> }[]; selfRenew: boolean }

const rulesOf = (person: Person) => person.ask<Rules>('GET', '/settings/rules')

/** Saves the current settings with a change, as another librarian. */
async function saveRules(person: Person, change: (rules: Rules) => void): Promise<void> {
  const { body, headers } = await person.call<Rules>('GET', '/settings/rules')
  change(body)
  await person.ask('PUT', '/settings/rules', body, { 'If-Match': headers.get('ETag') ?? '' })
}

test('R-RULE-5 a change of the fine shows what it does to the open loans before it is saved', async ({
  page,
  library,
  who,
}) => {
  const [overdue] = await library.allLoans('')
  await page.goto('settings')
  await page.getByLabel('Fine a day').fill('2')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(question(page)).toContainText(/loans?: fines ₹\d+ → ₹\d+/)
  await expect(question(page).getByRole('table')).toContainText(overdue?.userName ?? '')
  // Nothing is saved yet.
  expect((await rulesOf(present(who))).categories[0]?.rules['finePerDay']).toBe(5)
  await question(page).getByRole('button', { name: 'Save' }).click()
  await expectDone(page, 'Settings saved.')
  expect((await rulesOf(present(who))).categories[0]?.rules['finePerDay']).toBe(2)
  await page.goto('fine')
  await expect(page.getByRole('table')).toContainText('₹')
})

test('R-PEOPLE-10 forgetting readers is off, and before it is turned on it is shown how many loans that concerns', async ({
  page,
}) => {
  await page.goto('settings?tab=library')
  const months = page.getByLabel('Forget readers after (months)')
  await expect(months).toHaveValue('')
  await months.fill('6')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(question(page)).toContainText('This cannot be undone.')
  await question(page).getByRole('button', { name: 'Back to the settings' }).click()
  await expect(months).toHaveValue('6')
  await page.getByRole('button', { name: 'Save' }).click()
  await question(page).getByRole('button', { name: 'Save' }).click()
  await expectDone(page, 'Settings saved.')
  await page.reload()
  await expect(months).toHaveValue('6')
})

test('R-RULE-1 blank is no limit, a mistake is told at its field, and what was typed survives a reload', async ({
  page,
  who,
  watch,
}) => {
  watch.excuse(/422/, /could not be computed/)
  await page.goto('settings')
  await page.getByLabel('Loan days').fill('99999')
  await page.getByLabel('Most loans at once').fill('3')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Loan days must be a whole number from 0 to 3650.')).toBeVisible()
  await expect(page.getByLabel('Loan days')).toBeFocused()

  // It stays as typed: 3.5 days are not 35.
  await page.getByLabel('Loan days').fill('')
  await page.getByLabel('Loan days').pressSequentially('3.5')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('This must be a whole number.')).toBeVisible()
  await expect(page.getByLabel('Loan days')).toHaveValue('3.5')

  await page.getByLabel('Loan days').fill('')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Loan days is required.')).toBeVisible()

  page.on('dialog', (dialog) => void dialog.accept())
  await page.reload()
  await expect(page.getByLabel('Most loans at once')).toHaveValue('3')
  await page.getByLabel('Loan days').fill('10')
  await page.getByRole('button', { name: 'Save' }).click()
  await expectDone(page, 'Settings saved.')
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused()
  const { rules } = (await rulesOf(present(who))).categories[0] ?? { rules: {} }
  expect(rules).toMatchObject({ loanDays: 10, maxLoans: 3, maxFine: null, holdDays: 3 })
})

test('R-RULE-2 a category has its own values, or is as Student again', async ({ page, who }) => {
  await page.goto('settings')
  const staff = page.getByRole('region', { name: 'Staff' })
  await staff.getByLabel('Set a different value for').selectOption('Loan days')
  await staff.getByLabel('Loan days', { exact: true }).fill('30')
  await page.getByRole('button', { name: 'Save' }).click()
  await expectDone(page, 'Settings saved.')
  expect((await rulesOf(present(who))).categories[1]).toEqual({ name: 'Staff', rules: { loanDays: 30 } })

  await staff.getByRole('button', { name: 'Loan days of Staff: use the value of Student' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(staff.getByText('Everything is the same as for Student.')).toBeVisible()
  await expect.poll(async () => (await rulesOf(present(who))).categories[1]?.rules).toEqual({})
})

test('two librarians save at once: both changes are kept, and where both changed the same it is said', async ({
  page,
  library,
  who,
  watch,
}) => {
  watch.excuse(/412/, /could not be saved/)
  const other = await library.librarian()
  await page.goto('settings')
  await page.getByLabel('Loan days').fill('14')
  await page.getByLabel('Most renewals').fill('2')
  await saveRules(other, (rules) => {
    rules.selfRenew = false
    Object.assign(rules.categories[0]?.rules ?? {}, { maxRenewals: 5 })
  })
  await page.getByRole('button', { name: 'Save' }).click()
  await expectRefused(page, 'These settings were saved elsewhere in the meantime.')
  await expectRefused(page, 'Student: Most renewals: saved as 5')
  await expect(page.getByLabel('Students extend by themselves')).not.toBeChecked()
  await expect(page.getByLabel('Loan days')).toHaveValue('14')
  await page.getByRole('button', { name: 'Save' }).click()
  await expectDone(page, 'Settings saved.')
  const rules = await rulesOf(present(who))
  expect(rules.selfRenew).toBe(false)
  expect(rules.categories[0]?.rules).toMatchObject({ loanDays: 14, maxRenewals: 2 })
})

test('R-RULE-4 closed days move return dates, which is shown first', async ({ page, library }) => {
  const book = await library.addBook()
  const reader = await library.student()
  const loan = await reader.borrow(book.id)
  await page.goto('settings?tab=calendar')
  await page.getByRole('button', { name: 'Add closed days' }).click()
  await page.getByLabel('Name').fill('Founders’ Day')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('First day is required.')).toBeVisible()
  await page.getByLabel('First day').fill(loan.returnDate)
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(question(page)).toContainText('due date')
  await expect(question(page)).toContainText('Founders’ Day')
  await question(page).getByRole('button', { name: 'Save' }).click()
  await expectDone(page, 'Settings saved.')
  await page.goto(`fine?q=${reader.user.rollNumber ?? ''}`)
  await expect(page.getByRole('table')).toContainText(libraryDay(8))
})

test('R-RULE-6 at the end of term all books are due back by a day, and each return date says so', async ({
  page,
  library,
}) => {
  const book = await library.addBook()
  const reader = await library.student()
  await reader.borrow(book.id)
  await page.goto('settings')
  await page.getByLabel('All books back by').fill(libraryDate(3))
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(question(page)).toContainText(/due dates? moves?/)
  await question(page).getByRole('button', { name: 'Save' }).click()
  await expectDone(page, 'Settings saved.')

  await page.goto(`fine?q=${reader.user.rollNumber ?? ''}`)
  await expect(page.getByRole('table')).toContainText(libraryDay(3))
  await page.locator('summary').first().click()
  await expect(page.getByText(/^All books are due back by/)).toBeVisible()
})

test('R-RULE-1 the library has a name, and batches one a line; a second of the same name is refused', async ({
  page,
  watch,
}) => {
  watch.excuse(/422/, /could not be saved/)
  await page.goto('settings?tab=library')
  await page.getByLabel('Name').fill('Government College Library')
  await page.getByLabel('Batches').fill('2026\n2027\n2026')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('“2026” is already in the list.')).toBeVisible()
  await page.getByLabel('Batches').fill('2026\n2027\n2029')
  await page.getByRole('button', { name: 'Save' }).click()
  await expectDone(page, 'Settings saved.')
  await page.reload()
  await expect(page.getByLabel('Name')).toHaveValue('Government College Library')
  await page.goto('activity?action=settings-changed')
  const change = page.getByRole('listitem').first()
  await change.getByText('What changed').click()
  await expect(change).toContainText('Name: blank → Government College Library')
  await expect(change).toContainText('Batches: 2025, 2026, 2027, 2028 → 2026, 2027, 2029')
  await page.goto('register')
  await expect(page.getByRole('option', { name: '2029' })).toBeAttached()
})

test('R-RULE-8 name, currency and numbers of the rules on the screens are the library’s own', async ({
  page,
  pageOf,
  library,
  who,
}) => {
  const desk = present(who)
  await saveRules(desk, ({ categories }) => Object.assign(categories[0]?.rules ?? {}, { renewalDays: 10 }))
  const settings = await desk.ask<Record<string, unknown>>('GET', '/settings/library')
  await desk.ask('PUT', '/settings/library', { ...settings, name: 'City College', currency: 'Rs.' })
  const book = await library.addBook()
  const reader = await library.student({ name: 'Kavya Menon' })
  await reader.borrow(book.id)

  await page.goto('fine')
  await expect(page.getByRole('button', { name: /^Extend 10 Days: / }).first()).toBeVisible()
  await expect(page.getByText('Rs.20', { exact: true }).first()).toBeVisible()
  await expect(page.getByText('₹')).toBeHidden()

  await expect(page.getByRole('navigation').getByText('City College')).toBeVisible()
  await expect(page).toHaveTitle(/ · City College$/)

  const visitor = await pageOf(null)
  await visitor.goto('login')
  await expect(visitor.getByText('City College').first()).toBeVisible()
  const student = await pageOf(reader)
  await student.goto('profile')
  await student.getByRole('button', { name: 'My ID card' }).click()
  await expect(student.getByRole('dialog').getByText('City College')).toBeVisible()
})

// The last test: its rules apply from tomorrow, and the restored ones today.
test('R-RULE-3 a fine that is dearer from tomorrow changes nothing that is owed today', async ({
  page,
  library,
  who,
}) => {
  const owed = async () => (await library.allLoans('')).map(({ fine }) => fine)
  const before = await owed()
  await page.goto('settings')
  await page.getByLabel('Fine a day').fill('50')
  await page.getByLabel('Valid from').fill(libraryDate(1))
  await page.getByRole('button', { name: 'Save' }).click()
  await expectDone(page, 'Settings saved.')
  await expect(page.getByRole('alert').filter({ hasText: 'These rules apply from' })).toContainText('replace them')
  expect(await owed()).toEqual(before)
  expect(before.some((fine) => fine > 0)).toBe(true)
  const saved = await present(who).ask<{ finePerDay: number }>('GET', '/config')
  expect(saved.finePerDay).toBe(5)
})
