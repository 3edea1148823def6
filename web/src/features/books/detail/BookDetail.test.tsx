import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { BookDetail, Review } from '../../../api/types'
import { storedRole } from '../../../lib/storage'
import { renderApp } from '../../../testing/render'
import { book, bookPage, librarian, student } from '../../../testing/samples'
import { fakeServer, problem } from '../../../testing/server'

const detail = (more: Partial<BookDetail> = {}): BookDetail => ({
  ...book(7, { noOfBooks: 1 }),
  averageRating: null,
  reviewCount: 0,
  ...more,
})

const review = (id: number, more: Partial<Review> = {}): Review => ({
  id,
  rating: 5,
  comment: `Comment ${id}`,
  userId: 9,
  userName: 'Ravi Costa',
  createdAt: '2026-11-20T12:00:00Z',
  ...more,
})

function reviews(list: Review[], more: { total?: number; next?: string | null } = {}) {
  const ratings = [1, 2, 3, 4, 5].map((stars) => list.filter((one) => one.rating === stars).length)
  const averageRating = list.length ? list.reduce((sum, one) => sum + one.rating, 0) / list.length : null
  return { body: { reviews: list, total: list.length, averageRating, ratings, next: null, ...more } }
}

function server(user: unknown, more: Parameters<typeof fakeServer>[0] = {}) {
  return fakeServer({
    'GET /auth/session': { body: { user } },
    'GET /books/7': { body: detail(), headers: { ETag: '"1"' } },
    'GET /books/7/reviews': reviews([]),
    'GET /books': bookPage([]),
    ...more,
  })
}

beforeEach(() => sessionStorage.clear())

describe('a book', () => {
  it('R-DETAIL-1: everything that is known, Back to Home and Update Book', async () => {
    server(librarian, {
      'GET /books/7': { body: detail({ averageRating: 4.5, reviewCount: 2, isbn: '9780812979657', language: 'en' }) },
      'GET /books/7/reviews': reviews([review(2, { rating: 4 }), review(1)]),
    })
    renderApp('/book-detail/7')
    expect(await screen.findByRole('heading', { level: 1, name: 'Book 7' })).toBeVisible()
    for (const text of ['Author 7', 'Fiction', 'Available', 'Shelf A1', '4.5 out of 5', '9780812979657', 'English']) {
      expect(screen.getByText(text)).toBeVisible()
    }
    expect(screen.getByRole('img', { name: 'Cover of Book 7' })).toBeInTheDocument()
    expect(screen.getByRole('link', { name: 'Back to Home' })).toHaveAttribute('href', '/library/home')
    expect(screen.getByRole('link', { name: 'Update Book' })).toHaveAttribute('href', '/library/update/7')
    expect(await screen.findByText('Comment 2')).toBeVisible()
  })

  it('R-DETAIL-1: what is not known is said, and a book without reviews asks for one', async () => {
    server(librarian, {
      'GET /books/7': { body: detail({ author: '', genre: '', description: '', location: '' }) },
    })
    renderApp('/book-detail/7')
    expect(await screen.findByText('Unknown author')).toBeVisible()
    expect(screen.getByText('Genre not known')).toBeVisible()
    expect(screen.getAllByText('Not known')).toHaveLength(2)
    expect(await screen.findByText('No reviews yet. Be the first to review this book!')).toBeVisible()
  })

  it.each(['/stubook-detail/8', '/stubook-detail/none'])('says that there is no book at %s', async (at) => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined)
    server(student)
    renderApp(at)
    expect(await screen.findByRole('heading', { level: 1, name: 'Book not found' })).toBeVisible()
    expect(screen.getByRole('link', { name: 'Back to Home' })).toHaveAttribute('href', '/library/student-home')
  })

  it('R-FAIL-1: a book that cannot be fetched is logged, and can be tried again', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    let broken = true
    server(student, {
      'GET /books/7': () => (broken ? problem(500, 'internal', 'Something went wrong.') : { body: detail() }),
    })
    renderApp('/stubook-detail/7')
    expect(await screen.findByText('Something went wrong.')).toBeVisible()
    expect(logged).toHaveBeenCalledWith('The book could not be loaded.', expect.anything())
    broken = false
    await userEvent.click(screen.getByRole('button', { name: 'Try again' }))
    expect(await screen.findByRole('heading', { level: 1, name: 'Book 7' })).toBeVisible()
  })

  it('leads a librarian from the readers’ page to the own page of the same book', async () => {
    server(librarian)
    const { router } = renderApp('/stubook-detail/7')
    await waitFor(() => expect(router.state.location.pathname).toBe('/library/book-detail/7'))
  })
})

describe('borrowing', () => {
  it('R-LOAN-2: goes to /student-home and tells the return date', async () => {
    storedRole.set('student')
    server(student, {
      'POST /books/7/loans': {
        status: 201,
        body: {
          id: 1,
          userId: 2,
          bookId: 7,
          title: 'Book 7',
          EntryDate: '2026-11-21',
          returnDate: '2026-11-28',
          fine: 0,
          overdueDays: 0,
        },
      },
    })
    const { router } = renderApp('/stubook-detail/7')
    await userEvent.click(await screen.findByRole('button', { name: 'Borrow' }))
    expect(await screen.findByText('“Book 7” is yours until 28 Nov 2026.')).toBeVisible()
    await waitFor(() => expect(router.state.location.pathname).toBe('/library/student-home'))
  })

  it('R-LOAN-1: a refusal is said in the words of the library, and the facts are read again', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined)
    let copies = 1
    server(student, {
      'GET /books/7': () => ({
        body: detail(copies ? {} : { noOfBooks: 0, status: 'Not Available' }),
      }),
      'POST /books/7/loans': () => {
        copies = 0
        return problem(409, 'book-unavailable', 'This book is currently not available for borrowing.')
      },
    })
    renderApp('/stubook-detail/7')
    await userEvent.click(await screen.findByRole('button', { name: 'Borrow' }))
    expect(await screen.findByRole('alert')).toHaveTextContent('This book is currently not available for borrowing.')
    expect(await screen.findByRole('button', { name: 'Not Available' })).toBeDisabled()
    expect(screen.getByRole('alert')).toHaveFocus()
  })

  it('R-DETAIL-4: a visitor is led to sign-in and back to the same book, and is not told who wrote a review', async () => {
    server(null, { 'GET /books/7/reviews': reviews([review(1, { userId: null, userName: null })]) })
    renderApp('/stubook-detail/7')
    const back = '/library/login?next=%2Fstubook-detail%2F7'
    expect(await screen.findByRole('link', { name: 'Borrow' })).toHaveAttribute('href', back)
    expect(screen.getByRole('link', { name: 'Sign in to review' })).toHaveAttribute('href', back)
    expect(await screen.findByText('A reader')).toBeVisible()
  })
})

describe('reviews', () => {
  const add = () => userEvent.click(screen.getByRole('button', { name: 'Add Review' }))

  it('R-REV-1: needs stars and a comment that is not blank, and then shows it first', async () => {
    const list = [review(1)]
    const made = server(student, {
      'GET /books/7/reviews': () => reviews(list),
      'POST /books/7/reviews': async (request) => {
        const sent = (await request.json()) as { rating: number; comment: string }
        list.unshift(review(2, { ...sent, userName: student.name }))
        return { status: 201, body: list[0] }
      },
    })
    renderApp('/stubook-detail/7')
    await userEvent.type(await screen.findByLabelText('Comment'), '   ')
    await add()
    expect(screen.getByText('Choose one to five stars.')).toBeVisible()
    expect(screen.getByText('Comment is required.')).toBeVisible()
    expect(made.some((request) => request.method === 'POST')).toBe(false)

    await userEvent.click(screen.getByRole('radio', { name: '4 stars' }))
    await userEvent.type(screen.getByLabelText('Comment'), 'Worth it. ')
    await add()
    expect(await screen.findByText('Thank you. Your review has been added.')).toBeVisible()
    const sent = made.find((request) => request.method === 'POST')
    expect(await sent?.json()).toEqual({ rating: 4, comment: 'Worth it.' })
    const first = within(screen.getByRole('list', { name: 'Reviews' })).getAllByRole('listitem')[0]
    expect(first).toHaveTextContent('Worth it.')
    expect(screen.getByLabelText('Comment')).toHaveValue('')
    expect(sessionStorage).toHaveLength(0)
  })

  it('R-FAIL-1: a review that fails is logged and said, and what was typed survives a reload too', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    server(student, { 'POST /books/7/reviews': problem(503, 'busy', 'The library is busy.') })
    const view = renderApp('/stubook-detail/7')
    await userEvent.type(await screen.findByLabelText('Comment'), 'Long thought out')
    await userEvent.click(screen.getByRole('radio', { name: '2 stars' }))
    await add()
    expect(await screen.findByText('Your review could not be added. The library is busy.')).toBeVisible()
    expect(logged).toHaveBeenCalled()
    view.unmount()
    renderApp('/stubook-detail/7')
    expect(await screen.findByLabelText('Comment')).toHaveValue('Long thought out')
    expect(screen.getByRole('radio', { name: '2 stars' })).toBeChecked()
  })

  it('Show more brings the older ones and goes on reading at the first of them', async () => {
    server(student, {
      'GET /books/7/reviews': (request) =>
        new URL(request.url).searchParams.has('cursor')
          ? reviews([review(1)], { total: 2 })
          : reviews([review(2)], { total: 2, next: 'older' }),
    })
    renderApp('/stubook-detail/7')
    await userEvent.click(await screen.findByRole('button', { name: 'Show more' }))
    const older = (await screen.findByText('Comment 1')).closest('li')
    await waitFor(() => expect(older).toHaveFocus())
    expect(screen.queryByRole('button', { name: 'Show more' })).toBeNull()
  })
})
