import { screensOf } from '../src/screens'
import { expectRoomForFingers, open } from './support/layout'
import { card, expectDone, heading, question, search } from './support/screens'
import { PASSWORD } from './support/library'
import { expect, test } from './support/test'

/** A phone: fingers, no mouse, no keyboard. */
test.use({ hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } })

test('W31 a student signs in, finds a book, borrows it and signs out, all by touch', async ({ page, library }) => {
  const student = await library.student()
  const book = await library.addBook()
  await page.goto('login')
  // The phone's keyboard does not open by itself and cover the page.
  await expect(page.getByLabel('Email')).not.toBeFocused()
  await page.getByLabel('Email').tap()
  await page.keyboard.type(student.user.email)
  await page.getByLabel('Password', { exact: true }).tap()
  await page.keyboard.type(PASSWORD)
  await page.getByRole('button', { name: 'Sign In', exact: true }).tap()
  await expect(heading(page)).toHaveText('Find a book')
  await search(page).tap()
  await page.keyboard.type(book.title)
  await page.keyboard.press('Enter')
  // So that the keyboard does not cover the results.
  await expect(search(page)).not.toBeFocused()
  // A finger waits until the covers stop moving.
  await expect(page.getByText('1 book matches')).toBeVisible()
  await card(page, book.title).locator('img').tap({ force: true })
  await expect(heading(page)).toHaveText(book.title)
  await page.getByRole('button', { name: 'Borrow' }).tap()
  await expectDone(page, `“${book.title}” is yours until`)
  expect(await student.loans()).toHaveLength(1)

  await page.getByRole('button', { name: /^Account of/ }).tap()
  await expect(page.getByRole('menuitem', { name: 'Profile' })).toBeVisible()
  await expectRoomForFingers(page, 'the menu of the person')
  await page.getByRole('menuitem', { name: 'Profile' }).tap()
  await expect(heading(page)).toHaveText('User Profile')
  await page.getByRole('button', { name: /^Account of/ }).tap()
  await page.getByRole('menuitem', { name: 'Logout' }).tap()
  await expect(page).toHaveURL(/\/login$/)
})

test.describe('the questions and menus of a librarian', () => {
  test.use({ as: 'librarian' })

  test('U27 have room for a finger, too', async ({ page }) => {
    await open(page, 'fine')
    await page.getByRole('button', { name: 'More', exact: true }).tap()
    await expect(page.getByRole('menuitem')).toHaveCount(
      screensOf({ role: 'admin', capabilities: ['desk', 'catalogue', 'people', 'money', 'settings'] }).filter(
        ({ place }) => place === 'more' || place === 'wide',
      ).length,
    )
    await expectRoomForFingers(page, 'the menu of less frequent work')
    await page.keyboard.press('Escape')
    await page
      .getByRole('button', { name: /^Return: / })
      .first()
      .tap()
    await expect(question(page)).toBeVisible()
    await expectRoomForFingers(page, 'the question before a return')
  })
})

test('U25 the camera is not called insecure on http://localhost', async ({ page, library }) => {
  expect(library.origin).toMatch(/^http:\/\/localhost:/)
  await page.goto('login')
  await page.getByRole('button', { name: 'Scan ID Card' }).tap()
  const scanner = page.getByRole('region', { name: 'ID card scanner' })
  await expect(scanner.getByRole('status')).toContainText('No camera found.')
  await expect(scanner.getByText(/secure|https/)).toHaveCount(0)
  await expectRoomForFingers(page, 'the scanner')
})

test.describe('the forms of a librarian', () => {
  test.use({ as: 'librarian' })

  test('U25 say nothing of keys that a phone does not have', async ({ page }) => {
    for (const screen of ['add', 'update/1']) {
      await open(page, screen)
      const hint = page.getByText('Ctrl Enter saves')
      await expect(hint).toHaveCount(1)
      await expect(hint).toBeHidden()
    }
  })
})
