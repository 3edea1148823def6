import { expectAccessible } from './support/accessible'
import { Library, LIBRARIAN, STUDENT } from './support/library'
import { MailServer } from './support/mailServer'
import { heading } from './support/screens'
import { expect, test as base } from './support/test'

const test = base.extend<{ mails: MailServer }>({
  // oxlint-disable-next-line no-empty-pattern -- the runner reads the names of the fixtures out of this pattern
  mails: async ({}, provide) => {
    const mails = await MailServer.start()
    await provide(mails)
    mails.stop()
  },
  library: async ({ mails }, provide) => {
    const options = ['--smtp-url', `smtp-plain://localhost:${mails.port}`, '--mail-from', 'library@school.in']
    const library = await Library.start('demo', options)
    await provide(library)
    await library.stop()
  },
})

test('R-PEOPLE-3 a student who forgot the password chooses another by a link from a mail', async ({ page, mails }) => {
  await page.goto('login')
  await page.getByRole('link', { name: 'Forgot your password?' }).click()
  await expect(heading(page)).toHaveText('Forgot your password?')
  await expect(heading(page)).toBeFocused()
  await page.getByLabel('Email').fill(STUDENT)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('status').filter({ hasText: 'If an account has the address' })).toBeFocused()
  await expectAccessible(page, 'the answer')
  const link = await mails.link()
  await page.goto(link.slice(link.indexOf('reset')))
  await page.getByLabel('New password', { exact: true }).fill('four unrelated words')
  await page.keyboard.press('Enter')
  await expect(heading(page)).toHaveText('Find a book')
})

test('a librarian sees what was sent and why a mail failed', async ({ page, mails, library }) => {
  mails.refuse = '552 5.2.2 Mailbox full'
  await library.call('POST', '/auth/forgot', { email: LIBRARIAN })
  await page.goto('login')
  await page.getByLabel('Email').fill(LIBRARIAN)
  await page.getByLabel('Password', { exact: true }).fill('demo-library')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: 'More', exact: true })).toBeVisible()
  await expect
    .poll(async () => {
      await page.goto('mails?state=failed')
      await expect(page.getByLabel('Show')).toBeVisible()
      return page.getByText('The mailbox is full').count()
    })
    .toBe(1)
  await expectAccessible(page, 'the mails')
})
