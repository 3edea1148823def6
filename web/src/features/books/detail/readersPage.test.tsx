import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { renderApp } from '../../../testing/render'
import { bookDetail, bookPage, sessionOf, student } from '../../../testing/samples'
import { fakeServer, type Handlers } from '../../../testing/server'

const noReviews = {
  body: { reviews: [], total: 0, averageRating: null, ratings: [0, 0, 0, 0, 0], yours: null, next: null },
}

const server = (more: Handlers = {}) =>
  fakeServer({
    'GET /auth/session': sessionOf(student),
    'GET /books/7': { body: bookDetail(7), headers: { ETag: '"1"' } },
    'GET /books/7/reviews': noReviews,
    'GET /books': bookPage([]),
    ...more,
  })

beforeEach(() => sessionStorage.clear())

describe('a book on the page of readers', () => {
  it.each(['/stubook-detail/0', '/stubook-detail/abc'])('says that %s names no book, and leads on', async (at) => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined)
    server()
    renderApp(at)
    expect(await screen.findByRole('heading', { level: 1, name: 'Book not found' })).toBeVisible()
    expect(screen.getByRole('link', { name: 'Find a book' })).toHaveAttribute('href', '/library/student-home')
  })

  it('a record with blanks is shown as one', async () => {
    const blank = { author: '', genre: '', location: '', description: '', photoURL: '', rating: null }
    server({ 'GET /books/7': { body: bookDetail(7, blank), headers: { ETag: '"1"' } } })
    renderApp('/stubook-detail/7')
    expect(await screen.findByText('Unknown author')).toBeVisible()
    expect(screen.getByText('Genre not known')).toBeVisible()
    expect(screen.getByText(/location not known/)).toBeVisible()
    expect(screen.getByRole('img', { name: 'Cover of Book 7' })).toBeInTheDocument()
  })

  it('R-REV-1: without stars or with a blank comment nothing is sent, and the field says why', async () => {
    const made = server()
    renderApp('/stubook-detail/7')
    await userEvent.type(await screen.findByLabelText('Comment'), 'No stars chosen.')
    await userEvent.click(screen.getByRole('button', { name: 'Add Review' }))
    expect(screen.getByText('Choose one to five stars.')).toBeVisible()
    expect(screen.getByLabelText('Comment')).toHaveValue('No stars chosen.')
    await userEvent.click(screen.getByRole('radio', { name: '1 star' }))
    await userEvent.clear(screen.getByLabelText('Comment'))
    await userEvent.type(screen.getByLabelText('Comment'), '   ')
    await userEvent.click(screen.getByRole('button', { name: 'Add Review' }))
    expect(screen.getByLabelText('Comment')).toHaveAccessibleDescription(/Comment is required./)
    await waitFor(() => expect(screen.getByLabelText('Comment')).toHaveFocus())
    expect(made.some(({ method }) => method === 'POST')).toBe(false)
  })

  it('R-REV-1: a double press sends one review', async () => {
    const review = {
      id: 1,
      rating: 5,
      comment: 'Once is enough.',
      userId: student.uid,
      userName: student.name,
      createdAt: '2026-11-20T12:00:00Z',
    }
    const made = server({ 'POST /books/7/reviews': { status: 201, body: review } })
    renderApp('/stubook-detail/7')
    await userEvent.type(await screen.findByLabelText('Comment'), 'Once is enough.')
    await userEvent.click(screen.getByRole('radio', { name: '5 stars' }))
    await userEvent.dblClick(screen.getByRole('button', { name: 'Add Review' }))
    expect(await screen.findByText('Thank you. Your review has been added.')).toBeVisible()
    expect(made.filter(({ method }) => method === 'POST')).toHaveLength(1)
  })
})
