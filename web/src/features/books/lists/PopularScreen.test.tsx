import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { renderApp } from '../../../testing/render'
import { book, bookPage, librarian, sessionOf } from '../../../testing/samples'
import { fakeServer } from '../../../testing/server'

const shelf = bookPage([
  book(1, { rating: 3 }),
  book(2, { rating: null }),
  book(3, { rating: 5 }),
  book(4, { rating: 5 }),
])

it('R-STU-3: shows the best rated books to anyone, standing still', async () => {
  fakeServer({ 'GET /auth/session': sessionOf(null), 'GET /books': shelf })
  renderApp('/new-home')
  const links = await screen.findAllByRole('link', { name: /^Book \d/ })
  expect(links.map((link) => link.getAttribute('href'))).toEqual(
    [3, 4, 1, 2].map((id) => `/library/stubook-detail/${id}`),
  )
  expect(screen.queryByRole('button', { name: /Pause|Play/ })).not.toBeInTheDocument()
})

it.each([
  [[5, 4], 'Our librarians’ highest-rated new books.'],
  [[null, 4], 'Our newest books, those with the most stars from our librarians first.'],
  [[null, null], 'Our newest books.'],
])('says by what books with the stars %j were chosen', async (stars, words) => {
  const books = bookPage(stars.map((rating, index) => book(index + 1, { rating })))
  fakeServer({ 'GET /auth/session': sessionOf(null), 'GET /books': books })
  renderApp('/new-home')
  expect(await screen.findByText(`${words} Anyone may look; members can borrow.`)).toBeVisible()
})

it('leads librarians to their own page of a book', async () => {
  fakeServer({ 'GET /auth/session': sessionOf(librarian), 'GET /books': shelf })
  renderApp('/new-home')
  const [first] = await screen.findAllByRole('link', { name: /^Book \d/ })
  expect(first).toHaveAttribute('href', '/library/book-detail/3')
})
