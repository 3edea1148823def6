import type { Page } from '@playwright/test'
import { chooseStars, expectDone, expectRefused, heading } from './support/screens'
import { expect, present, test } from './support/test'

test.use({ as: 'student' })

const comment = (page: Page) => page.getByLabel('Comment', { exact: true })
const send = (page: Page) => page.getByRole('button', { name: 'Add Review' })

test('R-REV-1 a review is written by the keyboard alone, with stars and a comment; it is kept with who wrote it, and shown first', async ({
  page,
  library,
  who,
}) => {
  const book = await library.addBook()
  await page.goto(`stubook-detail/${book.id}`)
  await page.getByRole('radio', { name: '1 star', exact: true }).focus()
  await page.keyboard.press('Space')
  for (let star = 1; star < 4; star += 1) await page.keyboard.press('ArrowRight')
  await expect(page.getByRole('radio', { name: '4 stars' })).toBeChecked()
  await page.keyboard.press('Tab')
  await expect(comment(page)).toBeFocused()
  await page.keyboard.type('  Every bridge has a story.  ')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await expectDone(page, 'Your review has been added.')
  const { user } = present(who)
  const review = page.getByRole('region', { name: 'Your review' })
  await expect(review).toContainText('Every bridge has a story.')
  await expect(review).toContainText(user.name)
  await expect(review.getByRole('img', { name: 'Rated 4 out of 5' })).toBeVisible()
  await expect(comment(page)).toHaveCount(0)
  const { reviews } = await present(who).ask<{ reviews: object[] }>('GET', `/books/${book.id}/reviews`)
  expect(reviews).toEqual([
    expect.objectContaining({ rating: 4, comment: 'Every bridge has a story.', userId: user.uid, userName: user.name }),
  ])
})

test('R-REV-2 the average is that of the reviews with one decimal; librarians’ cards keep their own stars', async ({
  page,
  pageOf,
  library,
}) => {
  const book = await library.addBook({ rating: 5 })
  for (const rating of [2, 3]) await (await library.student()).review(book.id, { rating, comment: 'So so.' })
  await page.goto(`stubook-detail/${book.id}`)
  await expect(page.getByText('2.5 out of 5')).toBeVisible()
  await chooseStars(page, '5 stars')
  await comment(page).fill('The best there is.')
  await send(page).click()
  await expect(page.getByText('3.3 out of 5')).toBeVisible()
  await expect(page.getByRole('list', { name: 'Distribution of stars' }).getByRole('listitem')).toHaveText([
    /^5 stars\s*1$/,
    /^4 stars\s*0$/,
    /^3 stars\s*1$/,
    /^2 stars\s*1$/,
    /^1 star\s*0$/,
  ])
  await page.goto(`student-home?q=${encodeURIComponent(book.title)}`)
  const stars = page.getByRole('article').getByRole('img')
  await expect(stars.and(page.getByLabel('Readers’ rating: 3.3 out of 5, from 3 reviews'))).toBeVisible()
  const desk = await pageOf(await library.librarian())
  await desk.goto(`home?q=${encodeURIComponent(book.title)}`)
  await expect(desk.getByRole('article').getByRole('img', { name: 'Librarian’s rating: 5 out of 5' })).toBeVisible()
})

test('R-FAIL-1 a review that is not accepted is logged and said, and its words are still there after a reload', async ({
  page,
  library,
  watch,
}) => {
  watch.excuse(/ERR_INTERNET_DISCONNECTED/)
  const book = await library.addBook()
  await page.goto(`stubook-detail/${book.id}`)
  await chooseStars(page, '2 stars')
  await comment(page).fill('Written in a tunnel.')
  await page.context().setOffline(true)
  await send(page).click()
  await expectRefused(page, 'Your review could not be saved.')
  await watch.logged(/The review could not be saved/)
  await page.context().setOffline(false)
  await page.reload()
  await expect(heading(page)).toHaveText(book.title)
  await expect(comment(page)).toHaveValue('Written in a tunnel.')
  await expect(page.getByRole('radio', { name: '2 stars' })).toBeChecked()
  await send(page).click()
  await expectDone(page, 'Your review has been added.')
})
