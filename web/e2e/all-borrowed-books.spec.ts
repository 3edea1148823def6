import { expectAccessible } from './support/accessible'
import { expectDone, heading, libraryDay, question, row, search } from './support/screens'
import { expect, test } from './support/test'

test.use({ as: 'librarian' })

test('R-FINE-1 the table has name, roll number, batch, book, both dates, fine and actions', async ({
  page,
  library,
}) => {
  const student = await library.student({ name: `Tara ${Date.now()}`, batch: '2028' })
  const book = await library.addBook()
  await student.borrow(book.id)
  await page.goto('home')
  await page.getByRole('navigation').getByRole('link', { name: 'My Library' }).click()
  await expect(page).toHaveURL(/\/fine$/)
  await expect(heading(page)).toHaveText('All Borrowed Books')
  await expect(page.getByRole('columnheader')).toHaveText([
    'Name',
    'Roll number',
    'Batch',
    'Book',
    'Entry date',
    'Return date',
    'Fine',
    'Actions',
  ])
  await search(page).fill(student.user.name)
  const own = row(page, book.title)
  await expect(own.getByRole('rowheader')).toHaveText(student.user.name)
  for (const text of [student.user.rollNumber ?? '', '2028', book.title, libraryDay(0), libraryDay(7)]) {
    await expect(own).toContainText(text)
  }
  for (const action of ['Return', 'Return and restock', 'Extend 7 Days']) {
    await expect(own.getByRole('button', { name: `${action}: ${book.title}, ${student.user.name}` })).toHaveText(action)
  }
  // A return asks first, and Esc changes nothing.
  const button = page.getByRole('button', { name: `Return: ${book.title}` })
  await button.click()
  await expect(question(page)).toContainText('No fine.')
  await page.keyboard.press('Escape')
  await expect(question(page)).toHaveCount(0)
  await expect(button).toBeFocused()
  expect(await student.loans()).toHaveLength(1)
})

test('R-FINE-2 the search filters by name, roll number or batch, and the address keeps it', async ({
  page,
  library,
}) => {
  const stamp = Date.now() % 1_000_000
  const one = await library.student({ name: `Una ${stamp}`, rollNumber: `bt25-${stamp}`, batch: '2025' })
  const two = await library.student({ name: `Vik ${stamp}`, rollNumber: `ch28-${stamp}`, batch: '2028' })
  const book = await library.addBook()
  for (const student of [one, two]) await student.borrow(book.id)
  await page.goto('fine')
  for (const [words, found, lost] of [
    [`uNA ${stamp}`, one, two],
    [`CH28-${stamp}`, two, one],
    ['2025', one, two],
  ] as const) {
    await search(page).fill(words)
    await expect(row(page, found.user.name)).toBeVisible()
    await expect(row(page, lost.user.name)).toHaveCount(0)
  }
  await page.reload()
  await expect(search(page)).toHaveValue('2025')
  await expect(row(page, one.user.name)).toBeVisible()
  await search(page).fill('nobody at all')
  await expect(page.getByText('No loan matches “nobody at all”.')).toBeVisible()
})

test('R-FINE-2 rows that an answer moves between a press and its release stay under the pointer', async ({
  page,
  library,
}) => {
  const stamp = Date.now() % 1_000_000
  for (const name of [`Una ${stamp}`, `Vik ${stamp}`]) {
    const student = await library.student({ name })
    await student.borrow((await library.addBook()).id)
  }
  await page.goto(`fine?q=${stamp}`)
  await expect(page.getByRole('rowheader')).toHaveCount(2)
  const lower = (await page.getByRole('rowheader').last().textContent()) ?? ''
  let answer = () => {}
  const held = new Promise<void>((resolve) => (answer = resolve))
  await page.route('**/api/v1/loans?*', async (route) => {
    await held
    await route.continue()
  })
  const asked = page.waitForRequest('**/api/v1/loans?*')
  await search(page).fill(lower)
  await asked
  await row(page, lower)
    .getByRole('button', { name: /^Return:/ })
    .hover()
  await page.mouse.down()
  const answered = page.waitForResponse('**/api/v1/loans?*')
  answer()
  await (await answered).finished()
  await expect(page.getByRole('rowheader')).toHaveCount(2)
  await page.mouse.up()
  // Read once: the row that was pressed.
  await expect(question(page)).toContainText(lower)
  await expect(page.getByRole('rowheader', { includeHidden: true })).toHaveCount(1)
})

test('R-FINE-2 the badge opens the overdue loans, chips and order stay in the address, and each class has a list on paper', async ({
  page,
  library,
}) => {
  const student = await library.student({ name: `Ora ${Date.now()}`, batch: '2025' })
  const book = await library.addBook({ title: `Estuaries ${Date.now()}` })
  await student.borrow(book.id)
  await page.goto('home')
  await page
    .getByRole('navigation', { name: 'Main' })
    .getByRole('link', { name: /^\d+ overdue$/ })
    .click()
  await expect(page).toHaveURL(/\/fine\?due=overdue$/)
  const chips = page.getByRole('navigation', { name: 'Show' })
  await expect(chips.getByRole('link', { name: /^Overdue \d+$/ })).toHaveAttribute('aria-current', 'true')
  await expect(page.getByRole('status').filter({ hasText: 'in fines so far' })).toBeVisible()
  await expect(row(page, book.title)).toHaveCount(0)
  await chips.getByRole('link', { name: /^All \d+$/ }).click()
  await search(page).fill('estuaries')
  await expect(page).toHaveURL(/\?q=estuaries$/)
  await expect(row(page, student.user.name)).toBeVisible()
  await page.getByRole('combobox', { name: 'Order' }).selectOption('By batch')
  await expect(page).toHaveURL(/q=estuaries&sort=batch$/)
  await page.getByRole('button', { name: 'Print by class' }).click()
  await expect(question(page).getByRole('heading', { name: 'Batch 2025' })).toBeVisible()
  await expect(question(page).getByRole('row').filter({ hasText: book.title })).toContainText(student.user.name)
})

test('L10 a slip that is printed is kept: the loan says when its reader was reminded, and the activity who printed it', async ({
  page,
  library,
}) => {
  const student = await library.student({ name: `Omkar ${Date.now()}`, batch: '2026' })
  const book = await library.addBook({ title: `Lighthouses ${Date.now()}` })
  await student.borrow(book.id)
  await page.addInitScript(() => (window.print = () => undefined))
  await page.goto(`fine?q=${encodeURIComponent(student.user.name)}`)
  await expect(row(page, student.user.name)).not.toContainText('reminded')
  await page.getByRole('button', { name: 'Print by class' }).click()
  await question(page).getByLabel('Print as').selectOption('slips')
  await expect(question(page).getByText('Printing is recorded')).toBeVisible()
  await expectAccessible(page, 'slips')
  await question(page).getByRole('button', { name: 'Print', exact: true }).click()
  await question(page).getByRole('button', { name: 'Close' }).click()
  await expect(row(page, student.user.name)).toContainText('reminded')
  await page.goto('activity')
  const printed = page.getByRole('listitem').filter({ hasText: 'Reminder slip printed for 1 book.' })
  await expect(printed.filter({ hasText: student.user.name })).toHaveCount(1)
})

test('U2 by keyboard alone: / finds the borrower, Enter three times restocks, and the queue is worked down', async ({
  page,
  library,
}) => {
  const student = await library.student({ name: `Rhea ${Date.now()}` })
  const books = [await library.addBook(), await library.addBook()]
  for (const book of books) await student.borrow(book.id)
  await page.goto('fine')
  await expect(page.getByRole('table')).toBeVisible()
  await page.keyboard.press('/')
  await page.keyboard.type(student.user.name)
  await page.keyboard.press('Enter')
  for (let left = books.length; left > 0; left--) {
    await expect(page.getByRole('button', { name: /^Return and restock: / })).toHaveCount(left)
    await expect(page.getByRole('button', { name: /^Return and restock: / }).first()).toBeFocused()
    await page.keyboard.press('Enter')
    await expect(question(page).getByRole('button', { name: 'Return and restock' })).toBeFocused()
    await page.keyboard.press('Enter')
    await expectDone(page, 'Book returned successfully. 3 copies of')
  }
  await expect(page.getByText('No loan matches')).toBeVisible()
  await expect(search(page)).toBeFocused()
  expect(await student.loans()).toEqual([])
  for (const book of books) expect((await library.book(book.id)).noOfBooks).toBe(3)
})

test('U5 U13 a laptop at 125 % shows eight loans at once, the most overdue first, and their state where colours are forced', async ({
  page,
}) => {
  await page.setViewportSize({ width: 1093, height: 614 })
  await page.goto('fine')
  const rows = page.getByRole('row').filter({ has: page.getByRole('rowheader') })
  await expect(rows.nth(7)).toBeInViewport({ ratio: 1 })
  await expect(rows.first()).toContainText('since')
  await expect(rows.first().getByRole('button')).toHaveText(['Return and restock', 'Return', 'Extend 7 Days', '', ''])
  await expect(rows.first()).toContainText(/\d+ days overdue/)
  await expect(async () => {
    const days = (await rows.allTextContents()).map((text) => Number(/(\d+) days? overdue/.exec(text)?.[1] ?? 0))
    expect(days).toEqual(days.toSorted((a, b) => b - a))
  }).toPass()

  // In forced colours the dot of an overdue loan is filled.
  await page.emulateMedia({ forcedColors: 'active', colorScheme: 'dark' })
  const dot = page.locator('[data-state="overdue"]').first()
  await expect(dot).toBeVisible()
  const isFilled = () =>
    dot.evaluate(
      (element) => getComputedStyle(element, '::before').backgroundColor === getComputedStyle(document.body).color,
    )
  await expect.poll(isFilled).toBe(true)
})

test('U5 on a phone each loan is a card: the book, the person, the day, and every action under a thumb', async ({
  page,
  library,
}) => {
  const student = await library.student({ name: `Pia ${Date.now()}` })
  const book = await library.addBook()
  await student.borrow(book.id)
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto(`fine?q=${encodeURIComponent(student.user.name)}`)
  const own = row(page, book.title)
  await expect(own.getByRole('rowheader')).toHaveText(book.title)
  await expect(own).toContainText(`${student.user.name} ${student.user.rollNumber}`)
  await expect(own).toContainText(`${libraryDay(7)}since ${libraryDay(0)}`)
  for (const button of await own.getByRole('button').all()) {
    await expect.poll(async () => (await button.boundingBox())?.height).toBeGreaterThanOrEqual(44)
  }
  await page.getByRole('button', { name: `Return and restock: ${book.title}` }).click()
  await question(page).getByRole('button', { name: 'Return and restock' }).click()
  await expectDone(page, 'Book returned successfully.')
})
