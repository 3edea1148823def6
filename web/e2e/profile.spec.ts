import type { Page } from '@playwright/test'
import { expectNoSidewaysScroll } from './support/accessible'
import { PASSWORD } from './support/library'
import { expectDone, expectRefused, heading, libraryDate, libraryDay, question, row } from './support/screens'
import { expect, present, test } from './support/test'

test.use({ as: 'student' })

const fact = (page: Page, name: string) => page.locator('dl > div').filter({ hasText: name }).locator('dd')
const field = (page: Page, name: string) => page.getByLabel(name, { exact: true })
const edit = (page: Page) => page.getByRole('button', { name: 'Edit Profile' })
const update = (page: Page) => page.getByRole('button', { name: 'Update', exact: true })

test('R-PROF-1 R-PROF-2 the profile shows who one is, the total fine, and every loan with Return and Extend 7 Days', async ({
  page,
  library,
  who,
}) => {
  const { user } = present(who)
  const book = await library.addBook()
  await present(who).borrow(book.id)
  await page.goto('profile')
  await expect(heading(page)).toHaveText('User Profile')
  await expect(fact(page, 'Name')).toHaveText(user.name)
  await expect(fact(page, 'Roll number')).toHaveText(user.rollNumber ?? '')
  await expect(fact(page, 'Department')).toHaveText(user.department ?? '')
  await expect(fact(page, 'Total fine')).toHaveText('₹0')
  await expect(page.getByRole('heading', { name: 'Borrowed Books' })).toBeVisible()
  const own = row(page, book.title)
  await expect(own).toContainText(libraryDay(0))
  await expect(own).toContainText(libraryDay(7))
  await expect(own.getByRole('button', { name: `Return: ${book.title}` })).toBeEnabled()
  await expect(own.getByRole('button', { name: `Extend 7 Days: ${book.title}` })).toBeEnabled()
  await own.getByRole('link', { name: book.title }).click()
  await expect(page).toHaveURL(new RegExp(`/stubook-detail/${book.id}$`))
})

test('a loan is one line of cover, title, due date and buttons on a tablet and on a laptop', async ({
  page,
  library,
  who,
}) => {
  const book = await library.addBook()
  await present(who).borrow(book.id)
  for (const width of [768, 1440]) {
    await page.setViewportSize({ width, height: 900 })
    await page.goto('profile')
    const own = row(page, book.title)
    await expect(own.locator('img')).toBeVisible()
    await expect(own.getByRole('button', { name: `Return: ${book.title}` })).toBeVisible()
    await expect.poll(async () => (await own.boundingBox())?.height).toBeLessThan(80)
    await expectNoSidewaysScroll(page, 'a loan of one line')
  }
})

test('R-PROF-1 Edit Profile makes three fields editable, and Update saves them', async ({ page, who }) => {
  await page.goto('profile')
  await edit(page).click()
  await expect(field(page, 'Full name')).toBeFocused()
  await expect(page.getByRole('form', { name: 'Edit profile' }).getByRole('textbox')).toHaveCount(3)
  const roll = `PH27-${Date.now() % 1_000_000}`
  await field(page, 'Full name').fill('Nila Shah')
  await field(page, 'Roll number').fill('')
  await field(page, 'Roll number').pressSequentially(roll)
  await expect(field(page, 'Roll number')).toHaveValue(roll.toLowerCase())
  await field(page, 'Department').fill('Physics')
  await update(page).click()
  await expectDone(page, 'Profile updated.')
  await expect(fact(page, 'Name')).toHaveText('Nila Shah')
  await expect(fact(page, 'Roll number')).toHaveText(roll.toLowerCase())
  await expect(fact(page, 'Department')).toHaveText('Physics')
  await expect(edit(page)).toBeFocused()
  expect(await present(who).ask('GET', '/me')).toMatchObject({ name: 'Nila Shah', department: 'Physics' })
})

test('R-PROF-1 R-FAIL-1 a roll number that is taken is refused at its field, logged, and nothing typed is lost', async ({
  page,
  library,
  watch,
}) => {
  watch.refuses(409)
  const other = await library.student()
  await page.goto('profile')
  await edit(page).click()
  await field(page, 'Department').fill('Botany')
  await field(page, 'Roll number').fill(other.user.rollNumber ?? '')
  await update(page).click()
  await expect(field(page, 'Roll number')).toBeFocused()
  await expect(field(page, 'Roll number')).toHaveAccessibleDescription(/roll number/i)
  await expect(field(page, 'Department')).toHaveValue('Botany')
  await watch.logged(/could not be updated/)
})

test('R-FAIL-1 an update that does not arrive is logged and said, and an unfinished edit survives a reload', async ({
  page,
  watch,
}) => {
  watch.excuse(/ERR_INTERNET_DISCONNECTED/)
  await page.goto('profile')
  await edit(page).click()
  await field(page, 'Department').fill('Zoology')
  await page.context().setOffline(true)
  await update(page).click()
  await expectRefused(page, 'Your profile could not be updated.')
  await watch.logged(/The profile could not be updated/)
  await page.context().setOffline(false)
  await page.reload()
  await expect(field(page, 'Department')).toHaveValue('Zoology')
  await update(page).click()
  await expectDone(page, 'Profile updated.')
})

test('R-FAIL-1 an edit whose session has ended leads to sign-in without a second message, and goes on afterwards', async ({
  page,
  watch,
  who,
}) => {
  watch.refuses(401)
  await page.goto('profile')
  await edit(page).click()
  await field(page, 'Department').fill('Geology')
  await present(who).ask('POST', '/auth/sign-out')
  await update(page).click()
  await expect(page).toHaveURL(/\/login\?next=%2Fprofile$/)
  await expect(page.getByRole('alert')).toHaveCount(0)
  // U7: the reason is shown.
  await expect(page.getByRole('status').filter({ hasText: 'Your session ended.' })).toBeVisible()
  await page.getByLabel('Email').fill(present(who).user.email)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign In', exact: true }).click()
  await expect(page).toHaveURL(/\/profile$/)
  await expect(field(page, 'Department')).toHaveValue('Geology')
  await update(page).click()
  await expectDone(page, 'Profile updated.')
})

test('a calendar program reads the due dates by a link, until another one is made', async ({
  page,
  library,
  who,
  request,
}) => {
  const book = await library.addBook({ title: 'Nirmala, part 1' })
  await present(who).borrow(book.id)
  await page.goto('profile')
  const calendar = page.getByRole('region', { name: 'Due dates in your calendar' })
  const address = calendar.getByLabel('Link for your calendar')
  await calendar.getByRole('button', { name: 'Make a link' }).click()
  await expect(address).toHaveValue(new RegExp(`^${library.origin}/library/calendar/.{43}\\.ics$`))
  await expect(address).toBeFocused()
  const first = await address.inputValue()
  await expect(calendar.getByRole('link', { name: 'Open in my calendar' })).toHaveAttribute(
    'href',
    new RegExp(`^${library.origin.replace('http', 'webcal')}/library/calendar/.{43}\\.ics$`),
  )
  const read = async () => (await request.get(first)).text()
  await expect.poll(read).toContain('SUMMARY:Return “Nirmala\\, part 1”\r\n')
  await expect.poll(read).toContain(`DTSTART;VALUE=DATE:${libraryDate(7).replaceAll('-', '')}\r\n`)
  await page.reload()
  await expect(calendar).toContainText('Your link works since')
  await expect(address).toHaveCount(0)
  // Without a question, one press would cut off every calendar.
  await calendar.getByRole('button', { name: 'Make a new link' }).click()
  await page.keyboard.press('Escape')
  await expect.poll(async () => (await request.get(first)).status()).toBe(200)
  await calendar.getByRole('button', { name: 'Make a new link' }).click()
  await question(page).getByRole('button', { name: 'Make a new link' }).click()
  // Read once: the address of the link that ended.
  await expect(address).not.toHaveValue(first)
  await expect(address).toBeFocused()
  await expect.poll(async () => (await request.get(first)).status()).toBe(404)
  await calendar.getByRole('button', { name: 'End the link' }).click()
  await question(page).getByRole('button', { name: 'End the link' }).click()
  await expect(calendar.getByRole('button', { name: 'Make a link' })).toBeFocused()
})

test('a browser that refuses the clipboard leaves the calendar’s link selected, to copy by hand', async ({ page }) => {
  await page.addInitScript(() => {
    navigator.clipboard.writeText = () =>
      Promise.reject(new DOMException('Write permission denied.', 'NotAllowedError'))
  })
  await page.goto('profile')
  const calendar = page.getByRole('region', { name: 'Due dates in your calendar' })
  await calendar.getByRole('button', { name: 'Make a link' }).click()
  await calendar.getByRole('button', { name: 'Copy' }).click()
  await expect(calendar.getByRole('button', { name: 'Copy it by hand' })).toBeVisible()
  await expect(calendar.getByLabel('Link for your calendar')).toBeFocused()
})

test('a reader’s loans are left out of the suggestions', async ({ page }) => {
  await page.goto('profile')
  const counted = page.getByRole('region', { name: 'Suggestions' }).getByRole('checkbox')
  await expect(counted).toBeChecked()
  await counted.click()
  await expectDone(page, 'Your choice is saved.')
  await page.reload()
  await expect(counted).not.toBeChecked()
})
