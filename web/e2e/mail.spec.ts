import { expectAccessible } from './support/accessible'
import { Library, LIBRARIAN, STUDENT } from './support/library'
import { MailServer } from './support/mailServer'
import { heading } from './support/screens'
import { expect, test as base } from './support/test'

const mailBy = ({ port }: MailServer) => [
  '--smtp-url',
  `smtp-plain://localhost:${port}`,
  '--mail-from',
  'library@school.in',
]

const test = base.extend<{ mails: MailServer }>({
  // oxlint-disable-next-line no-empty-pattern -- the runner reads the names of the fixtures out of this pattern
  mails: async ({}, provide) => {
    const mails = await MailServer.start()
    await provide(mails)
    mails.stop()
  },
  library: async ({ mails }, provide) => {
    const library = await Library.start('demo', mailBy(mails))
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
  await expect(page.getByRole('status').filter({ hasText: 'a mail with a link is on its way' })).toBeFocused()
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
    // The demo may mail reminders meanwhile, which this server refuses too.
    .toBeGreaterThan(0)
  await expectAccessible(page, 'the mails')
})

// Mails of a library at a loopback address have no links, and the demo has no other.
const named = test.extend({
  library: async ({ mails }, provide) => {
    const address = ['--public-url', 'http://library.school.in', '--allow-insecure-http']
    const library = await Library.start('empty', [...mailBy(mails), ...address])
    await provide(library)
    await library.stop()
  },
})

named(
  'a reader confirms the address, is mailed that a book is ready, and ends such mails by the link and in the profile',
  async ({ page, mails, library }) => {
    const book = await library.addBook({ noOfBooks: 1, title: 'Kept for a reader' })
    const [first, second] = [await library.student(), await library.student()]
    await page.goto('login')
    await page.getByLabel('Email').fill(second.user.email)
    await page.getByLabel('Password', { exact: true }).fill(second.password)
    await page.keyboard.press('Enter')
    await expect(heading(page)).toHaveText('Find a book')
    await page.goto('profile')
    const choices = page.getByRole('region', { name: 'Mails from the library' })
    await expect(choices.getByText(`Confirm your address ${second.user.email}`)).toBeVisible()
    await expectAccessible(page, 'the address to confirm')
    await choices.getByRole('button', { name: 'Send a new link' }).click()
    await expect(page.getByText('A new link is on its way.').first()).toBeVisible()
    await page.goto(new URL(await mails.confirmation(second.user.email, 2)).pathname)
    await expect(heading(page)).toHaveText('Confirm your address')
    await expectAccessible(page, 'the page of the link')
    await page.getByRole('button', { name: 'Confirm this address' }).click()
    await expect(heading(page)).toHaveText('Your address is confirmed.')
    await expectAccessible(page, 'the confirmed address')

    const loan = await first.borrow(book.id)
    await second.ask('POST', `/books/${book.id}/holds`)
    await (await library.desk()).ask('POST', `/loans/${loan.id}/return`, { restock: true })

    const link = new URL(await mails.unsubscribe('Your reserved book is ready'))
    await page.goto(link.pathname)
    await expect(heading(page)).toHaveText('Stop these mails?')
    await expectAccessible(page, 'the question')
    await page.getByRole('button', { name: 'Stop these mails' }).click()
    await expect(page.getByText('To get them again, sign in and open your profile.')).toBeVisible()
    await page.goto(link.pathname)
    await expect(heading(page)).toHaveText('You get no more mails like this one.')
    await expectAccessible(page, 'the link that was used')

    await page.goto('profile')
    const ready = choices.getByLabel('A reserved book is ready')
    await expect(ready).toHaveValue('off')
    await ready.selectOption('At once')
    await expect(ready).toHaveValue('at-once')
    await choices.getByLabel('A due date changed').selectOption('In the summary')
    await expect(choices.getByLabel('A due date changed')).toHaveValue('digest')
    await choices.getByLabel('Language of the mails').selectOption('हिन्दी')
    await expect(page.getByText('Your choice is saved.').first()).toBeVisible()
    await expectAccessible(page, 'the choices')
  },
)

test('a librarian sees tomorrow’s reminders and keeps a kind on the screen (R-RULE-1)', async ({ page }) => {
  await page.goto('login')
  await page.getByLabel('Email').fill(LIBRARIAN)
  await page.getByLabel('Password', { exact: true }).fill('demo-library')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: 'More', exact: true })).toBeVisible()
  await page.goto('mails')
  await page.getByRole('button', { name: 'Show tomorrow’s reminders' }).click()
  await expect(page.getByRole('heading', { name: /^Reminders for .*, 08:00$/ })).toBeVisible()
  await expect(page.getByText(/reminders? would be sent\./)).toBeVisible()
  await page.goto('settings?tab=notices')
  await page.getByRole('combobox', { name: 'Overdue' }).selectOption('On the screen only')
  await page.getByLabel('Hour of the reminders by mail').selectOption('18:00')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.reload()
  await expect(page.getByRole('combobox', { name: 'Overdue' })).toHaveValue('screen')
  await expect(page.getByLabel('Hour of the reminders by mail')).toHaveValue('18')
  await expectAccessible(page, 'the settings')
})

test('R-PEOPLE-3 a librarian mails a sign-in code, and its reader chooses a password with it', async ({
  page,
  mails,
  library,
}) => {
  const librarian = await library.signIn(LIBRARIAN, 'demo-library')
  const address = 'a.new.reader@college.edu'
  const person = { name: 'A New Reader', email: address, rollNumber: 'nr26-001' }
  const { uid } = await librarian.ask<{ uid: number }>('POST', '/people', person)
  await page.goto('login')
  await page.getByLabel('Email').fill(LIBRARIAN)
  await page.getByLabel('Password', { exact: true }).fill('demo-library')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: 'More', exact: true })).toBeVisible()
  await page.goto(`people/${uid}`)
  await page.getByRole('main').getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Sign-in code' }).click()
  await expectAccessible(page, 'the choice')
  await expect(page.getByText(`It can be mailed to ${address}.`)).toBeVisible()
  await page.getByRole('button', { name: 'Mail it' }).click()
  await expect(page.getByText(`The code is on its way to ${address}.`)).toBeVisible()
  await expectAccessible(page, 'the mailed code')
  await page.getByRole('button', { name: 'Close' }).last().click()
  const code = await mails.code(address)

  await page.context().clearCookies()
  await page.goto('redeem')
  await page.getByLabel('Code').fill(code)
  await page.getByLabel('Roll number').fill(person.rollNumber)
  await page.getByLabel('Password').first().fill('four unrelated words')
  await page.keyboard.press('Enter')
  await expect(heading(page)).toHaveText('Find a book')
})
