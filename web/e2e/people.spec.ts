import { expectAccessible } from './support/accessible'
import { heading, question, row, search } from './support/screens'
import { expect, present, test } from './support/test'

test.use({ as: 'librarian' })

test('R-PEOPLE-1 a person is found by a part of anything and opened; filters and orders stay in the address', async ({
  page,
  library,
}) => {
  const book = await library.addBook()
  const reader = await library.student({ name: 'Kavya Menon' })
  await library.lend(reader, book.id)
  await page.goto('people')
  await expect(page.getByRole('table')).toBeVisible()
  await search(page).fill(`menon ${reader.user.rollNumber ?? ''}`)
  await expect(page.getByText('1 person', { exact: true })).toBeVisible()
  await page.getByRole('link', { name: 'Has books' }).click()
  await expect(row(page, 'Kavya Menon')).toBeVisible()
  await page.getByRole('link', { name: 'Inactive' }).click()
  await expect(page.getByText('Nobody matches')).toBeVisible()
  await page.getByRole('link', { name: 'Everybody' }).click()
  await page.getByRole('columnheader', { name: 'Owes' }).getByRole('link').click()
  await expect(page).toHaveURL(/sort=-owes/)
  await expect(page.getByRole('columnheader', { name: 'Owes' })).toHaveAttribute('aria-sort', 'descending')
  await page.reload()
  await page.getByRole('link', { name: 'Kavya Menon' }).click()
  await expect(heading(page)).toHaveText('Kavya Menon')
  await expect(page.getByRole('region', { name: '1 book out' })).toContainText(book.title)
})

test('R-PEOPLE-2 the page of a person shows what is out and was, and takes books back', async ({
  page,
  library,
  who,
}) => {
  const [kept, returned] = [await library.addBook(), await library.addBook()]
  const reader = await library.student({ name: 'Arjun Das' })
  await library.lend(reader, kept.id)
  const ended = await library.lend(reader, returned.id)
  await present(who).ask('POST', `/loans/${ended.id}/return`, { restock: true })
  await page.goto(`people/${reader.user.uid}`)
  await expect(page.getByRole('region', { name: 'Earlier loans' })).toContainText(returned.title)
  await expect(page.getByRole('region', { name: 'What happened' })).toContainText(`“${kept.title}” lent`)

  const out = page.getByRole('region', { name: '1 book out' })
  await out.getByRole('button', { name: `Extend 7 Days: ${kept.title}` }).click()
  await expect(page.getByText('Return date extended successfully. The new date for')).toBeVisible()
  await out.getByRole('button', { name: `Return and restock: ${kept.title}` }).click()
  await question(page).getByRole('button', { name: 'Return and restock' }).click()
  await expect(page.getByText('No books out.')).toBeVisible()
  await expect(page.getByRole('region', { name: 'Earlier loans' })).toContainText(kept.title)
  await expect(page.getByRole('heading', { name: 'Books out' })).toBeFocused()
})

test('R-PEOPLE-2 an address of nobody says so', async ({ page, watch }) => {
  watch.excuse(/404/)
  for (const address of ['people/999999', 'people/0']) {
    await page.goto(address)
    await expect(page.getByText('This person does not exist or was removed.')).toBeVisible()
  }
  await page.getByRole('link', { name: 'Back to People' }).click()
  await expect(page.getByRole('heading', { name: 'People', level: 1 })).toBeVisible()
})

test('R-PEOPLE-3 somebody without an email is added, gets a code on a slip, and signs in with it', async ({
  page,
  pageOf,
  library,
  watch,
}) => {
  watch.excuse(/409/, /could not be added/)
  const taken = await library.student()
  const rollNumber = `np-${Date.now()}`
  await page.goto('people')
  await page.getByRole('button', { name: 'Add person' }).click()
  await question(page).getByLabel('Full name').fill('Nilima Basu')
  await question(page)
    .getByLabel('Roll number')
    .fill(taken.user.rollNumber ?? '')
  await question(page).getByRole('button', { name: 'Add', exact: true }).click()
  await expect(question(page).getByText('Another person here has this roll number.')).toBeVisible()
  await question(page).getByLabel('Roll number').fill(rollNumber)
  await question(page).getByRole('button', { name: 'Add', exact: true }).click()
  await expect(heading(page)).toHaveText('Nilima Basu')

  await page.locator('#main').getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Hand out a sign-in code' }).click()
  await question(page).getByRole('button', { name: 'Make a code' }).click()
  const code = await question(page)
    .getByText(/^[0-9A-Z]{4}-[0-9A-Z]{4}$/)
    .innerText()

  const visitor = await pageOf(null)
  await visitor.goto('login')
  await visitor.getByRole('link', { name: 'I have a code' }).click()
  await visitor.getByLabel('Code').fill(code.toLowerCase())
  await visitor.getByLabel('Roll number').fill(rollNumber)
  await visitor.getByLabel('New password').fill('four plain words here')
  await visitor.getByRole('button', { name: 'Save and sign in' }).click()
  await expect(visitor).toHaveURL(/student-home/)
  await expect(visitor.getByText('Nilima Basu').first()).toBeVisible()
})

test('R-PEOPLE-3 the people that a search finds get slips with codes, ten a page', async ({ page, library }) => {
  const desk = await library.desk()
  const mark = `sl${Date.now()}`
  for (const n of [1, 2]) await desk.ask('POST', '/people', { name: `Slip ${mark}`, rollNumber: `${mark}-${n}` })
  await page.goto(`people?q=${mark}`)
  await page.getByRole('main').getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Sign-in slips…' }).click()
  await expect(question(page).getByLabel('Search words')).toHaveValue(mark)
  await expect(question(page).getByText('2 people have no password yet.')).toBeVisible()
  await expectAccessible(page, 'the slips to make')
  await question(page).getByRole('button', { name: 'Make 2 slips' }).click()
  await expect(question(page).getByText(/^[0-9A-Z]{4}-[0-9A-Z]{4}$/)).toHaveCount(2)
  await expect(question(page).getByText(`${mark}-2`)).toBeVisible()
})

test('R-PEOPLE-3 the window of a new person keeps what was typed when it closes by Escape, and forgets it with Cancel', async ({
  page,
}) => {
  await page.goto('people')
  const [add, name] = [page.getByRole('button', { name: 'Add person' }), question(page).getByLabel('Full name')]
  await add.click()
  await name.fill('Half A Name')
  await page.keyboard.press('Escape')
  await expect(question(page)).toBeHidden()
  await add.click()
  await expect(name).toHaveValue('Half A Name')
  await question(page).getByRole('button', { name: 'Cancel' }).click()
  await add.click()
  await expect(name).toHaveValue('')
})

test('R-PEOPLE-2 a guardian is written on the page of a person, and reminded by a setting', async ({
  page,
  library,
}) => {
  const reader = await library.student({ name: 'Esha Kaul' })
  await page.goto(`people/${reader.user.uid}`)
  await page.getByRole('button', { name: 'Edit', exact: true }).click()
  await question(page).getByLabel('Guardian’s email').fill('mother')
  await question(page).getByRole('button', { name: 'Save', exact: true }).click()
  await expect(question(page).getByText('Guardian’s email must be an address like name@college.edu.')).toBeVisible()
  await question(page).getByLabel('Guardian’s email').fill('mother@home.in')
  await question(page).getByLabel('Guardian’s phone').fill('+91 98450 12345')
  await expectAccessible(page, 'the form of a person')
  await question(page).getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.getByRole('link', { name: 'mother@home.in' })).toHaveAttribute('href', 'mailto:mother@home.in')
  await expect(page.getByRole('link', { name: '+91 98450 12345' })).toHaveAttribute('href', 'tel:+919845012345')

  await page.goto('settings?tab=notices')
  const guardians = page.getByRole('group', { name: 'Also to the guardian' })
  await expect(guardians.getByLabel('Overdue')).toBeChecked()
  await expectAccessible(page, 'the settings of notices')
  await guardians.getByLabel('Due today').check()
  await page.getByLabel('From', { exact: true }).selectOption('21:00')
  await expect(page.getByLabel('Until', { exact: true })).toHaveValue('7')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.getByText('Settings saved.').first()).toBeVisible()
  await page.reload()
  await expect(guardians.getByLabel('Due today')).toBeChecked()
  await expect(page.getByLabel('From', { exact: true })).toHaveValue('21')
})

test('R-PEOPLE-6 whoever is deactivated is out at once, and back when activated', async ({
  page,
  pageOf,
  library,
  watch,
}) => {
  watch.excuse(/401|403/)
  const reader = await library.student({ name: 'Tara Singh' })
  const theirs = await pageOf(reader)
  await theirs.goto('student-home')
  await page.goto(`people/${reader.user.uid}`)
  await page.getByRole('button', { name: 'Edit', exact: true }).click()
  await question(page).getByLabel('Reason').fill('Torn pages')
  await question(page).getByRole('button', { name: 'Save' }).click()
  await expect(question(page).getByText('Enter the last day, or clear the reason.')).toBeVisible()
  await question(page).getByLabel('Until', { exact: true }).fill('2999-01-01')
  await question(page).getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Until 1 Jan 2999: Torn pages')).toBeVisible()

  await page.locator('#main').getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Deactivate' }).click()
  await question(page).getByLabel('Reason (optional)').fill('Left the college')
  await question(page).getByRole('button', { name: 'Deactivate' }).click()
  await expect(page.getByText('Inactive', { exact: true })).toBeVisible()
  await expect(page.getByRole('region', { name: 'What happened' })).toContainText('Left the college')
  await theirs.goto('profile')
  await expect(theirs).toHaveURL(/login/)
  await theirs.getByLabel('Email').fill(reader.user.email)
  await theirs.getByLabel('Password', { exact: true }).fill(reader.password)
  await theirs.getByRole('button', { name: 'Sign In', exact: true }).click()
  await expect(theirs.getByText('This account is not active.')).toBeVisible()

  await page.locator('#main').getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Activate' }).click()
  await expect(page.getByText('Inactive', { exact: true })).toBeHidden()
  await theirs.getByRole('button', { name: 'Sign In', exact: true }).click()
  await expect(theirs).toHaveURL(/profile|student-home/)
})

test('R-PEOPLE-4 a file is tried first, then imported; the rejected rows come back as a file', async ({
  page,
  library,
  watch,
}) => {
  watch.excuse(/422/, /could not be imported/)
  const reader = await library.student({ name: 'Ishaan Rao' })
  const { rollNumber } = reader.user
  await page.goto('people')
  await page.locator('#main').getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Import people' }).click()
  await expect(heading(page)).toHaveText('Import people')
  const choose = async (text: string) => {
    const chooser = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: /^Choose/ }).click()
    await (await chooser).setFiles({ name: 'class.csv', mimeType: 'text/csv', buffer: Buffer.from(text) })
  }
  await choose('shoes\n1\n')
  await expect(page.getByRole('alert')).toContainText('Choose the column for “Roll number”.')

  const fresh = `imp-${Date.now()}`
  const number = String(Date.now()).slice(-7)
  await (await library.librarian()).ask('POST', '/people', { name: 'Hari Zero', rollNumber: `00${number}` })
  await choose(`rollNumber,name\n${Number(number)},Hari Zero\n`)
  await expect(page.getByText(`Hari Zero has the roll number 00${number}`)).toBeVisible()
  await expect(page.getByRole('heading', { name: 'What the import would do' })).toBeFocused()
  await library.student({ name: 'Not In The File' })
  await choose(`rollNumber,name,batch\n${rollNumber},,2028\n${fresh},Leela Nair,2028\nno-name,,\n`)
  await page.getByText('in the same batches').first().click()
  await expect(page.getByRole('link', { name: 'Not In The File' })).toBeVisible()
  await expect(page.getByText('3 rows: 1 new, 1 changed, 0 unchanged, 1 rejected.')).toBeVisible()
  await expect(row(page, rollNumber ?? '')).toContainText('→ 2028')
  await expect(page.getByText('Full name is required.')).toBeVisible()
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download rejected rows' }).click()
  expect((await download).suggestedFilename()).toBe('people.rejected.csv')

  await page.getByRole('button', { name: 'Import 2 people' }).click()
  await expect(page.getByRole('heading', { name: 'Imported' })).toBeFocused()
  await page.getByRole('link', { name: 'Back to People' }).click()
  await search(page).fill(fresh)
  await expect(row(page, 'Leela Nair')).toContainText('2028')

  // It was the wrong file: the import is undone as a whole.
  await page.goto('import-people')
  await page.getByRole('link', { name: 'class.csv' }).first().click()
  await expect(page.getByRole('heading', { name: 'The people are imported' })).toBeFocused()
  await expectAccessible(page, 'an import of people')
  await page.getByRole('button', { name: 'Undo the whole import' }).click()
  await expect(question(page)).toContainText('2 records will be as before the import')
  await question(page).getByRole('button', { name: 'Undo the whole import' }).click()
  await expect(page.getByRole('heading', { name: 'The import is undone' })).toBeVisible()
  await page.getByRole('link', { name: 'To the people' }).click()
  await search(page).fill(rollNumber ?? '')
  await expect(row(page, 'Ishaan Rao')).not.toContainText('2028')
  await search(page).fill(fresh)
  await expect(row(page, 'Leela Nair')).toBeHidden()
})

test('R-PEOPLE-5 a batch is looked at, somebody stays behind, and the rest goes on', async ({ page, library }) => {
  const batch = `B${Date.now() % 1_000_000}`
  const desk = await library.librarian()
  for (const name of ['Uma Pillai', 'Vikram Seth', 'Wahida Khan']) {
    // One after the other, so that their order is known.
    // oxlint-disable-next-line no-await-in-loop
    await desk.ask('POST', '/people', { name, rollNumber: `${batch}-${name.charAt(0)}`, batch })
  }
  await page.goto('people')
  await page.locator('#main').getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Year’s end' }).click()
  await page.getByLabel('From batch').fill(batch)
  await page.getByLabel('To batch').fill(`${batch}+1`)
  await page.getByRole('button', { name: 'Preview' }).click()
  await expect(page.getByRole('heading', { name: '3 people' })).toBeFocused()
  await page.getByRole('checkbox', { name: 'Vikram Seth' }).uncheck()
  await page.getByRole('button', { name: `Move 2 people to ${batch}+1` }).click()
  await expect(page.getByText('2 people updated.')).toBeVisible()
  await page.goto(`people?q=${encodeURIComponent(`${batch}+1`)}`)
  await expect(row(page, 'Uma Pillai')).toBeVisible()
  await expect(row(page, 'Vikram Seth')).toBeHidden()

  // From the log; and, after another promotion, from the notice.
  await page.goto('activity?action=batch-moved')
  await page.getByRole('button', { name: `Undo: 2 people moved from batch ${batch} to ${batch}+1.` }).click()
  await expect(page.getByText(`Undone: 2 people are in batch ${batch} again.`)).toBeVisible()
  await expect(page.getByText('Undone', { exact: true }).first()).toBeVisible()
  await page.goto('promote')
  await page.getByLabel('From batch').fill(batch)
  await page.getByRole('radio', { name: 'Deactivate everybody in it' }).check()
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByRole('button', { name: 'Deactivate 3 people' }).click()
  await expect(page.getByText('3 people deactivated.')).toBeVisible()
  await page.locator('#main').getByRole('button', { name: 'Undo' }).click()
  await expect(page.getByText(`Undone: 3 people of batch ${batch} are active again.`)).toBeVisible()
})

test('K20c R-PEOPLE-5 those whom the new class list leaves out are deactivated from its report, and come back by Undo', async ({
  page,
  library,
}) => {
  const batch = `M${Date.now() % 1_000_000}`
  const desk = await library.librarian()
  const roll = (name: string) => `${batch}-${name.charAt(0)}`
  const names = ['Uma Pillai', 'Vikram Seth', 'Wahida Khan']
  for (const name of names) {
    // oxlint-disable-next-line no-await-in-loop
    await desk.ask('POST', '/people', { name, rollNumber: roll(name), batch })
  }
  await page.goto('import-people')
  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: /^Choose/ }).click()
  const list = `rollNumber,department,batch\n${roll('Uma')},Physics,${batch}\n`
  await (await chooser).setFiles({ name: 'class.csv', mimeType: 'text/csv', buffer: Buffer.from(list) })
  await page.getByRole('button', { name: 'Import 1 person' }).click()
  await expect(page.getByRole('heading', { name: 'Imported' })).toBeFocused()
  // Chosen again, the list changes nothing, and the way is still there.
  const again = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: /^Choose/ }).click()
  await (await again).setFiles({ name: 'class.csv', mimeType: 'text/csv', buffer: Buffer.from(list) })
  await expect(page.getByText('1 row: 0 new, 0 changed, 1 unchanged, 0 rejected.')).toBeVisible()
  await page.getByText('2 people in the same batches are not in the file').click()
  await expect(page.getByText('The file lists 1 person, and 2 more are in the same batches.')).toBeVisible()
  await page.getByRole('link', { name: `Deactivate 2 people of ${batch}` }).click()
  await expect(heading(page)).toHaveText('Year’s end')
  await expect(page.getByText('Only the 2 people missing from your file.')).toBeVisible()
  await page.getByRole('button', { name: 'Preview' }).click()
  await expect(page.getByRole('checkbox')).toHaveCount(2)
  await page.getByRole('button', { name: 'Deactivate 2 people' }).click()
  await expect(page.getByText('2 people deactivated.')).toBeVisible()
  await page.locator('#main').getByRole('button', { name: 'Undo' }).click()
  await expect(page.getByText(`Undone: 2 people of batch ${batch} are active again.`)).toBeVisible()
})

test('R-PEOPLE-5 the answer for a batch that is no longer in the form is dropped; what was previewed is what is sent', async ({
  page,
  library,
  watch,
}) => {
  watch.excuse(/409/)
  const batch = `V${Date.now() % 1_000_000}`
  const desk = await library.librarian()
  for (const name of ['Xavier Pinto', 'Yamini Rao']) {
    // oxlint-disable-next-line no-await-in-loop
    await desk.ask('POST', '/people', { name, rollNumber: `${batch}-${name.charAt(0)}`, batch })
  }
  let answer: () => void = () => {}
  const held = new Promise<void>((resolve) => (answer = resolve))
  await page.route('**/people/promote', async (route) => {
    await held
    await route.continue()
  })
  await page.goto('promote')
  await page.getByLabel('From batch').fill(batch)
  await page.getByLabel('To batch').fill(`${batch}+1`)
  const asked = page.waitForRequest('**/people/promote')
  await page.getByRole('button', { name: 'Preview' }).click()
  await asked
  await page.getByLabel('From batch').fill('another')
  const answered = page.waitForResponse('**/people/promote')
  answer()
  await answered
  await expect(page.getByRole('button', { name: 'Preview' })).toBeEnabled()
  await expect(page.getByRole('heading', { name: '2 people' })).toBeHidden()

  // A student joins the batch between the preview and the press.
  await page.getByLabel('From batch').fill(batch)
  await page.getByRole('button', { name: 'Preview' }).click()
  await expect(page.getByRole('heading', { name: '2 people' })).toBeVisible()
  await desk.ask('POST', '/people', { name: 'Zara Bose', rollNumber: `${batch}-Z`, batch })
  await page.getByRole('button', { name: `Move 2 people to ${batch}+1` }).click()
  await expect(page.getByRole('alert')).toHaveText('The batch has changed since the preview. Preview it again.')
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByRole('button', { name: `Move 3 people to ${batch}+1` }).click()
  await expect(page.getByText('3 people updated.')).toBeVisible()
})

test('R-PEOPLE-7 a class gets its certificates at once; those with something open are named, and what it is', async ({
  page,
  library,
}) => {
  const batch = `C${Date.now() % 1_000_000}`
  const desk = await library.librarian()
  const readers = [await library.student({ name: 'Anil Nair' }), await library.student({ name: 'Bina Shah' })]
  await Promise.all(readers.map(({ user }) => desk.ask('PATCH', `/people/${user.uid}`, { batch })))
  const book = await library.addBook({ noOfBooks: 1 })
  await readers[1]?.borrow(book.id)
  await page.addInitScript(() => {
    window.print = () => document.body.toggleAttribute('data-printed', true)
  })
  await page.goto(`people?q=${batch}`)
  await page.locator('#main').getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: 'No-dues certificates for a class' }).click()
  await question(page).getByLabel('Batch').fill(batch)
  await question(page).getByRole('button', { name: 'Preview' }).click()
  await expect(question(page)).toContainText('1 person has no books, reservations or dues.')
  await expect(question(page)).toContainText('1 person cannot get one yet')
  await expect(question(page).getByRole('listitem')).toContainText('Bina Shah')
  await expect(question(page).getByRole('listitem')).toContainText('1 book out')
  await question(page).getByRole('button', { name: 'Print 1 certificate' }).click()
  await expect(question(page)).toContainText('1 certificate issued.')
  await expect(page.locator('body')).toHaveAttribute('data-printed')
  await page.emulateMedia({ media: 'print' })
  const paper = page.getByRole('article', { name: 'No-dues certificate' })
  await expect(paper).toContainText('Anil Nair')
  await expect(paper).toContainText('Librarian’s signature')
  await expect(page.getByText('1 certificate issued.')).toBeHidden()
})

test('R-PEOPLE-7 reservations are cancelled in the same step as the certificate is issued', async ({
  page,
  library,
  watch,
}) => {
  watch.excuse(/409/)
  const [reader, other] = [await library.student({ name: 'Chhaya Dutt' }), await library.student()]
  const book = await library.addBook({ noOfBooks: 1 })
  await other.borrow(book.id)
  await reader.ask('POST', `/books/${book.id}/holds`, {})
  await page.goto(`people/${reader.user.uid}`)
  await page.locator('#main').getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: 'No-dues certificate' }).click()
  await question(page).getByRole('button', { name: 'Issue' }).click()
  await expect(question(page).getByRole('alert')).toContainText('1 reservation')
  await question(page).getByRole('button', { name: 'Cancel the reservation and issue' }).click()
  await expect(question(page).getByRole('article', { name: 'No-dues certificate' })).toContainText('Chhaya Dutt')
  await page.keyboard.press('Escape')
  await expect(page.getByRole('region', { name: 'Reservations' })).toContainText('Cancelled')
})

test('R-PEOPLE-6 a person is erased only after the roll number was typed', async ({ page, library }) => {
  const reader = await library.student({ name: 'Dipti Sen' })
  await page.goto(`people/${reader.user.uid}`)
  await page.locator('#main').getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Erase personal data' }).click()
  const erase = question(page).getByRole('button', { name: 'Erase personal data' })
  await expect(erase).toBeDisabled()
  await question(page).getByRole('textbox').fill('another')
  await expect(erase).toBeDisabled()
  await question(page)
    .getByRole('textbox')
    .fill(` ${(reader.user.rollNumber ?? '').toUpperCase()}`)
  await erase.click()
  await expect(page).toHaveURL(/people$/)
})

test('R-PEOPLE-2 a person is opened at the desk, and a book reserved, from their page', async ({ page, library }) => {
  const [reader, other] = [await library.student({ name: 'Esha Kaul' }), await library.student()]
  const book = await library.addBook({ noOfBooks: 1 })
  await other.borrow(book.id)
  await page.goto(`people/${reader.user.uid}`)
  await page.getByRole('button', { name: 'Reserve a book…' }).click()
  await question(page).getByRole('textbox').fill(book.title)
  await question(page)
    .getByRole('button', { name: new RegExp(book.title) })
    .click()
  await expect(page.getByRole('region', { name: 'Reservations' })).toContainText(book.title)
  await page.getByRole('link', { name: 'Open at the desk' }).click()
  await expect(page).toHaveURL(/desk$/)
  await expect(page.locator('#main')).toContainText('Esha Kaul')
})

test('R-PEOPLE-2 the ID card of a person is shown to be printed', async ({ page, library }) => {
  const reader = await library.student({ name: 'Bhavna Joshi' })
  await page.goto(`people/${reader.user.uid}`)
  await page.getByRole('button', { name: 'ID card' }).click()
  await expect(question(page)).toContainText('Bhavna Joshi')
  const { rollNumber } = reader.user
  await expect(question(page).getByRole('img', { name: `QR code of roll number ${rollNumber}` })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('button', { name: 'ID card' })).toBeFocused()
})

test('R-PEOPLE-9 two records of one person are compared and merged; the old card opens the new record, and undo parts them', async ({
  page,
  library,
}) => {
  const mark = `Mg${Date.now() % 1_000_000}`
  const kept = await library.student({ name: `Chitra ${mark}` })
  const dropped = await library.student({ name: `Citra ${mark}` })
  const book = await library.addBook()
  await library.lend(dropped, book.id)
  await page.goto(`people/${kept.user.uid}`)
  await page.locator('#main').getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Merge with another record' }).click()
  await question(page)
    .getByLabel(`Find the other record of Chitra ${mark}`)
    .fill(dropped.user.rollNumber ?? '')
  await question(page)
    .getByRole('button', { name: `Citra ${mark}` })
    .click()
  await expect(question(page)).toContainText('Moves to the kept record: 1 book out')
  await expect(question(page)).toContainText(`${dropped.user.rollNumber} opens this record too`)
  await expect(question(page)).toContainText(`${dropped.user.email} can no longer be used to sign in.`)
  await expect(question(page).getByRole('radio', { name: new RegExp(`Chitra ${mark}`) })).toBeChecked()
  await question(page).getByRole('button', { name: 'Merge', exact: true }).click()
  await expect(page.getByText(`Merged into the record of Chitra ${mark}.`)).toBeVisible()
  await expect(row(page, book.title)).toBeVisible()

  await page.getByRole('button', { name: 'Undo', exact: true }).click()
  await expect(page.getByText('No books out.')).toBeVisible()
  await page.goto(`people/${dropped.user.uid}`)
  await expect(row(page, book.title)).toBeVisible()

  // Again, and from the other record.
  await page.locator('#main').getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Merge with another record' }).click()
  await question(page).getByRole('textbox').fill(`Chitra ${mark}`)
  await question(page)
    .getByRole('button', { name: `Chitra ${mark}` })
    .click()
  await question(page)
    .getByRole('radio', { name: new RegExp(`Chitra ${mark}`) })
    .check()
  await question(page).getByRole('button', { name: 'Merge', exact: true }).click()
  await expect(heading(page)).toHaveText(`Chitra ${mark}`)
  await page.goto(`people?q=${dropped.user.rollNumber}`)
  await expect(row(page, `Chitra ${mark}`)).toBeVisible()
  // An old link leads to the kept record.
  await page.goto(`people/${kept.user.uid}`)
  await expect(heading(page)).toHaveText(`Chitra ${mark}`)
  await page.goto(`people/${dropped.user.uid}`)
  await expect(heading(page)).toHaveText(`Chitra ${mark}`)
  await page.goto('desk')
  await expect(page.getByRole('textbox', { name: 'Scan a card or a book' })).toBeFocused()
  await page.keyboard.type(`${dropped.user.rollNumber}\n`)
  await expect(page.getByText(`Chitra ${mark}`).first()).toBeVisible()
})

test('R-PEOPLE-7 a certificate is printed with its number, and anybody can check it', async ({
  page,
  pageOf,
  library,
}) => {
  const reader = await library.student({ name: 'Xavier Dsouza' })
  await page.goto(`people/${reader.user.uid}`)
  await page.locator('#main').getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: 'No-dues certificate' }).click()
  await question(page).getByRole('button', { name: 'Issue' }).click()
  const paper = question(page).getByRole('article')
  await expect(paper).toContainText('Xavier Dsouza')
  await expect(paper.getByRole('img')).toBeVisible()
  // Read once: the certificate with its number is shown.
  const number = await paper.getByText(/^[0-9A-Z]{4}(-[0-9A-Z]{4}){2}$/).innerText()
  // Only the certificate is printed.
  await page.emulateMedia({ media: 'print' })
  await expect(paper.getByText(number, { exact: true })).toBeVisible()
  await expect(heading(page)).toBeHidden()
  await page.emulateMedia({ media: null })
  const anybody = await pageOf(null)
  await anybody.goto(`no-dues/${number}`)
  await expect(
    anybody.getByText('This certificate is genuine and still true: no books, reservations or dues.'),
  ).toBeVisible()
  await expect(anybody.getByText('Xavier Dsouza')).toBeVisible()
})

test('R-PEOPLE-8 a desk assistant gets the desk alone', async ({ page, pageOf, library, watch }) => {
  watch.excuse(/422|401/, /role could not be changed/)
  const assistant = await library.student({ name: 'Yash Gupta' })
  await page.goto(`people/${assistant.user.uid}`)
  await page.locator('#main').getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Make a librarian' }).click()
  for (const capability of ['Catalogue', 'People', 'Money', 'Settings']) {
    // oxlint-disable-next-line no-await-in-loop
    await question(page).getByRole('checkbox', { name: capability }).uncheck()
  }
  await question(page).getByLabel('Your own password').fill('not my password')
  await question(page).getByRole('button', { name: 'Save' }).click()
  await expect(question(page).getByText('This is not your password.')).toBeVisible()
  await question(page).getByLabel('Your own password').fill('demo-library')
  await question(page).getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Librarian', { exact: true })).toBeVisible()

  const theirs = await pageOf(await library.signIn(assistant.user.email, assistant.password))
  await theirs.goto('desk')
  const bar = theirs.getByRole('navigation').first()
  await expect(bar.getByRole('link', { name: 'Desk' })).toBeVisible()
  await expect(bar.getByRole('link', { name: 'Update' })).toBeHidden()
  await theirs.goto('people')
  await expect(theirs.getByRole('table')).toBeVisible()
  await expect(theirs.getByRole('button', { name: 'Add person' })).toBeHidden()
  // Actions that need the catalogue capability are not offered.
  const book = await library.addBook()
  await theirs.goto('home')
  await expect(theirs.getByRole('region', { name: 'Books' }).getByRole('link').first()).toBeVisible()
  await expect(theirs.getByRole('link', { name: 'Add New Book' })).toBeHidden()
  await expect(theirs.getByRole('link', { name: /^Update / })).toHaveCount(0)
  await expect(theirs.getByRole('button', { name: /^Delete / })).toHaveCount(0)
  await theirs.goto(`book-detail/${book.id}`)
  const copies = theirs.getByRole('region', { name: 'Copies' })
  await expect(copies.getByRole('button', { name: /^Move/ }).first()).toBeVisible()
  await expect(copies.getByRole('button', { name: 'Add copies' })).toBeHidden()
  await expect(copies.getByRole('button', { name: /^Edit/ })).toHaveCount(0)
  await expect(theirs.getByRole('link', { name: 'Update Book' })).toBeHidden()
  await theirs.goto(`update/${book.id}`)
  await expect(theirs).toHaveURL(/home/)
})
