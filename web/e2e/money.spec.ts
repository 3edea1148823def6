import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { Locator } from '@playwright/test'
import type { Charge, DeskToday, Receipt, Takings } from '../src/api/types'
import { expectAccessible } from './support/accessible'
import { expectDone, heading } from './support/screens'
import { expect, present, test } from './support/test'

test.use({ as: 'librarian' })

test.describe('the library’s money', () => {
  test.use({ shelf: 'fresh' })

  test('R-MONEY-6 who owes what, most first; opened, each amount says how it came about', async ({
    page,
    library,
    who,
  }) => {
    const librarian = present(who)
    const [little, much] = [await library.student(), await library.student()]
    for (const [reader, amount] of [
      [little, 9000],
      [much, 9500],
    ] as const) {
      const charge = { amount, kind: 'lost', reason: 'An atlas' }
      await librarian.ask('POST', `/people/${reader.user.uid}/charges`, charge)
    }
    await page.goto('home')
    await page.getByRole('navigation', { name: 'Main' }).getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Money' }).click()
    await expect(heading(page)).toHaveText('Money')
    const rows = page.getByRole('table', { name: 'Who owes what' }).locator('tbody').getByRole('row')
    await expect(rows.nth(0)).toContainText(much.user.name)
    await expect(rows.nth(1)).toContainText(little.user.name)
    await expect(rows.nth(1)).toContainText('₹9,000')
    await rows.nth(1).getByText('Why?').click()
    await expect(rows.nth(1)).toContainText('Lost: An atlas')
    // Further down are people with fines of open loans, which show the days.
    const late = (await librarian.allLoans('')).find(({ fine }) => fine > 0)
    if (!late) throw new Error('The demo has an overdue loan')
    const debtor = rows.filter({ hasText: late.userName })
    await debtor.getByText('Why?').click()
    await expect(debtor).toContainText(`On books out: ${late.title}`)
    await expect(debtor).toContainText('× ₹5')

    // One batch, another order, on paper, and money taken in the row.
    const { user } = await library.student({ batch: '2028' })
    await librarian.ask('POST', `/people/${user.uid}/charges`, { amount: 20, kind: 'other', reason: 'A card' })
    await page.addInitScript(() => (window.print = () => undefined))
    await page.reload()
    const list = page.getByRole('region', { name: 'Who owes what' })
    await list.getByLabel('Batch').selectOption('2028')
    await expect(page).toHaveURL(/batch=2028/)
    await expect(rows.filter({ hasText: much.user.name })).toHaveCount(0)
    await list.getByRole('link', { name: 'Owes' }).click()
    await expect(rows.first()).toContainText('₹')
    await list.getByRole('button', { name: 'Print the list' }).click()
    await expect(page.locator('[data-print]')).toContainText(user.name)
    await expect(page.locator('[data-print]')).not.toContainText(much.user.name)
    await page.evaluate(() => dispatchEvent(new Event('afterprint')))
    const taken = page.getByRole('region', { name: 'Money taken' })
    const { today } = await librarian.ask<Takings>('GET', '/money/takings')
    await list.getByRole('button', { name: `Take money from ${user.name}…` }).click()
    const pay = page.getByRole('dialog')
    await pay.getByRole('button', { name: 'Take ₹20' }).click()
    // The row is gone, the receipt is still offered.
    await expect(rows.filter({ hasText: user.name })).toHaveCount(0)
    await expect(pay.getByRole('button', { name: 'Print receipt' })).toBeFocused()
    await pay.getByRole('button', { name: 'Done' }).click()
    await expect(taken).toContainText(`Taken today₹${today.amount + 20}`)
    await list.getByLabel('Batch').selectOption('Every batch')
    await list.getByRole('link', { name: 'Owes' }).click()
    await rows.nth(0).getByRole('link', { name: much.user.name }).click()
    await expect(heading(page)).toHaveText(much.user.name)
  })

  test('R-MONEY-6 the lines of a period are filtered, summed up and downloaded', async ({ page, library, who }) => {
    const librarian = present(who)
    const { uid, name } = (await library.student({ name: 'Zarina Q' })).user
    const kind = { amount: 50, kind: 'damage', reason: '=1+1' }
    const { charge } = await librarian.ask<{ charge: Charge }>('POST', `/people/${uid}/charges`, kind)
    const payment = { amount: 30, method: 'upi', reference: 'T-7' }
    const { receipt } = await librarian.ask<{ receipt: Receipt }>('POST', `/people/${uid}/payments`, payment)
    await librarian.ask('POST', `/charges/${charge.id}/waive`, { amount: 5, reason: 'was worn' })

    // The demo's own lines are of other days.
    const { day } = await librarian.ask<DeskToday>('GET', '/desk/today')
    await page.goto(`money?from=${day}&to=${day}`)
    const sums = page.getByRole('table', { name: 'Totals' })
    await expect(sums.getByRole('row').filter({ hasText: 'Charged · Damaged' })).toContainText('₹50')
    await expect(sums.getByRole('row').filter({ hasText: 'Paid · UPI' })).toContainText('₹30')
    const lines = page.getByRole('table', { name: 'Charges and payments' }).locator('tbody').getByRole('row')
    await expect(lines).toHaveCount(3)
    await expect(lines.nth(2)).toContainText(name)
    await lines.nth(2).getByText('Why?').click()
    await expect(lines.nth(2)).toContainText(`₹30 paid, receipt ${receipt.number}`)
    await expect(lines.nth(2)).toContainText('₹15 still owed')

    await page.getByLabel('Paid by').selectOption('UPI')
    await expect(lines).toHaveCount(1)
    await expect(lines.first()).toContainText('T-7')
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download CSV' }).click(),
    ])
    const file = readFileSync(await download.path(), 'utf8')
      .trim()
      .split('\n')
    expect(file).toHaveLength(2)
    expect(file[1]).toContain(`Zarina Q,payment,upi,,T-7,${receipt.number},,30.00,`)
    await page.getByLabel('Paid by').selectOption('Any method')
    await page.getByLabel('First day').fill('2026-01-02')
    await expect(page).toHaveURL(/from=2026-01-02/)
    await page.getByLabel('Last day').fill('2026-01-01')
    await expect(page.getByLabel('Last day')).toHaveAccessibleDescription(/must not be before the first/)
    await page.getByLabel('Last day').fill('2026-01-03')
    await expect(page.getByText('No charges or payments match these filters.')).toBeVisible()
  })

  test('K13 R-MONEY-3 a payment and a charge of any day are cancelled on the account, with a reason', async ({
    page,
    library,
    who,
  }) => {
    const librarian = present(who)
    const { uid } = (await library.student({ name: 'Wahida Ali' })).user
    await librarian.ask('POST', `/people/${uid}/charges`, { amount: 80, kind: 'damage', reason: 'A torn map' })
    const paid = { amount: 80, method: 'cash' }
    const { receipt } = await librarian.ask<{ receipt: Receipt }>('POST', `/people/${uid}/payments`, paid)
    await page.goto(`people/${uid}`)
    await page.getByRole('button', { name: `Cancel the payment… ${receipt.number}` }).click()
    const why = page.getByRole('dialog', { name: `Cancel receipt ${receipt.number}` })
    await why.getByRole('button', { name: 'Cancel the payment' }).click()
    await expect(why.getByLabel('Reason')).toHaveAccessibleDescription(/required/)
    await why.getByLabel('Reason').fill('Paid for another reader')
    await why.getByRole('button', { name: 'Cancel the payment' }).click()
    await expectDone(page, `Receipt ${receipt.number} cancelled: ₹80 is owed again.`)
    const cancelled = await librarian.ask<Receipt>('GET', `/receipts/${encodeURIComponent(receipt.number)}`)
    expect(cancelled).toMatchObject({ number: receipt.number, reversed: true })
    // A receipt that is cancelled already cannot be cancelled again.
    await expect(page.getByRole('button', { name: /^Cancel the payment/ })).toHaveCount(0)

    await page.getByRole('button', { name: 'Cancel the charge… “A torn map”' }).click()
    await page.getByRole('dialog').getByLabel('Reason').fill('Not this reader')
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel the charge' }).click()
    await expectDone(page, 'Charge of ₹80 cancelled.')
    const account = await librarian.ask<{ balance: number }>('GET', `/people/${uid}/account`)
    expect(account.balance).toBe(0)
  })

  test('dues are paid by UPI: a phone reads the request, and the debt stays until the desk records the payment', async ({
    page,
    pageOf,
    library,
    who,
    watch,
  }, testInfo) => {
    watch.excuse(/422|could not be saved/)
    const reader = await library.student({ name: 'Uma Pillai' })
    const { rollNumber, uid } = reader.user
    await present(who).ask('POST', `/people/${uid}/charges`, { amount: 37.5, kind: 'other', reason: 'A card' })
    await page.goto('settings?tab=library')
    await page.getByLabel('UPI address').fill('school.bank')
    await page.getByRole('button', { name: 'Save' }).click()
    await expect(page.getByText('UPI address must look like school@bank.')).toBeVisible()
    await page.getByLabel('UPI address').fill('school@okbank')
    await page.getByRole('button', { name: 'Save' }).click()
    await expectDone(page, 'Settings saved.')

    const wanted = `upi://pay?pa=school@okbank&pn=school%40okbank&am=37.50&cu=INR&tn=Library%20dues%20${rollNumber}`
    const scan = async (code: Locator) => {
      const picture = testInfo.outputPath('upi.png')
      await code.screenshot({ path: picture })
      return spawnSync('zbarimg', ['--quiet', '--raw', picture]).stdout.toString().trim()
    }
    const phone = await pageOf(reader)
    await phone.goto('profile')
    await phone.getByRole('button', { name: 'Pay by UPI' }).click()
    const request = phone.getByRole('dialog', { name: 'Pay ₹37.50 by UPI' })
    const code = request.getByRole('img', { name: 'QR code of a UPI payment of ₹37.50 to school@okbank' })
    await expect(code).toBeVisible()
    expect(await scan(code)).toBe(wanted)
    await expect(request.getByText('Your dues stay listed here')).toBeVisible()
    await expectAccessible(phone, 'a payment request')
    await phone.keyboard.press('Escape')
    await expect(phone.getByRole('button', { name: 'Pay by UPI' })).toBeFocused()

    await page.goto(`people/${uid}`)
    await page.evaluate(() => Object.assign(window, { print: () => undefined }))
    await page.getByRole('button', { name: 'Print what is owed' }).click()
    await page.emulateMedia({ media: 'print' })
    const statement = page.locator('[data-print]')
    await expect(statement).toContainText('What is owed')
    await expect(statement).toContainText('Other: A card₹37.50To pay₹37.50')
    expect(await scan(statement.getByRole('img', { name: /UPI payment of ₹37.50/ }))).toBe(wanted)
    await page.emulateMedia({ media: 'screen' })
    await page.evaluate(() => window.dispatchEvent(new Event('afterprint')))
    await expect(statement).toHaveCount(0)

    await page.getByRole('button', { name: 'Take money…' }).first().click()
    const pay = page.getByRole('dialog')
    await pay.getByLabel('Paid by').selectOption('UPI')
    expect(await scan(pay.getByRole('img', { name: /UPI payment of ₹37.50/ }))).toBe(wanted)
    // The request follows the amount.
    await pay.getByLabel('Amount').fill('20')
    await expect(pay.getByRole('img', { name: /UPI payment of ₹20/ })).toBeVisible()
    await pay.getByLabel('Reference').fill('4123')
    await pay.getByRole('button', { name: 'Take ₹20' }).click()
    await pay.getByRole('button', { name: 'Done' }).click()
    await phone.reload()
    await phone.getByRole('button', { name: 'Pay by UPI' }).click()
    await expect(phone.getByRole('dialog', { name: 'Pay ₹17.50 by UPI' })).toBeVisible()
  })
})
