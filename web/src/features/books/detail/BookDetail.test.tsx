import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { BookDetail, Review, ReviewForm, User } from '../../../api/types'
import { storedRole } from '../../../lib/storage'
import { renderApp } from '../../../testing/render'
import { bookDetail, bookPage, librarian, loan, sessionOf, student } from '../../../testing/samples'
import { fakeServer, type Handlers, problem } from '../../../testing/server'

const detail = (more: Partial<BookDetail> = {}) => bookDetail(7, { noOfBooks: 1, copies: 1, ...more })

const review = (id: number, more: Partial<Review> = {}): Review => ({
  id,
  rating: 5,
  comment: `Comment ${id}`,
  userId: 9,
  userName: 'Ravi Costa',
  createdAt: '2026-11-20T12:00:00Z',
  ...more,
})

function reviews(list: Review[], more: { total?: number; next?: string | null; yours?: Review | null } = {}) {
  const ratings = [1, 2, 3, 4, 5].map((stars) => list.filter((one) => one.rating === stars).length)
  const averageRating = list.length ? list.reduce((sum, one) => sum + one.rating, 0) / list.length : null
  return { body: { reviews: list, total: list.length, averageRating, ratings, yours: null, next: null, ...more } }
}

function server(user: User | null, more: Handlers = {}) {
  return fakeServer({
    'GET /auth/session': sessionOf(user),
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

  it('leads to what its readers also borrowed', async () => {
    server(student, { 'GET /books/7/also-borrowed': { body: { books: [bookDetail(9)] } } })
    renderApp('/stubook-detail/7')
    const also = await screen.findByRole('region', { name: 'Readers also borrowed' })
    expect(within(also).getByRole('link')).toHaveAttribute('href', '/library/stubook-detail/9')
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
      'GET /books/7': () => (broken ? problem(500, 'internal') : { body: detail() }),
    })
    renderApp('/stubook-detail/7')
    expect(
      await screen.findByText('Something went wrong on the server. Nothing was changed; please try again.'),
    ).toBeVisible()
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

describe('what is said of the copies', () => {
  const sentence = async (about: Partial<BookDetail>) => {
    server(student, { 'GET /books/7': { body: detail({ location: 'Main hall, shelf A4', ...about }) } })
    const { unmount } = renderApp('/stubook-detail/7')
    await screen.findByRole('heading', { level: 1, name: 'Book 7' })
    const text = document.querySelector('article')?.textContent ?? ''
    unmount()
    return text
  }

  it('U15: one sentence says how many there are and where, or when the next one comes back', async () => {
    const out = { noOfBooks: 0, status: 'Not Available' as const }
    expect(await sentence({ noOfBooks: 3, copies: 5 })).toContain('3 of 5 available · Main hall, shelf A4')
    expect(await sentence({ ...out, copies: 5, nextDue: '2026-11-24' })).toContain(
      'All copies are out, next due 24 Nov 2026',
    )
    expect(await sentence({ ...out, copies: 0 })).toContain('The library has no copy at the moment')
    // To a reader the offer of a reservation says it, once.
    const gone = await sentence({ ...out, copies: 0, reservation: { ...detail({}).reservation, fillable: false } })
    expect(gone).toContain('the library has no copy left to lend')
    expect(gone).not.toContain('no copy at the moment')
    expect(await sentence({ noOfBooks: 2, copies: 2, status: 'Not Available' })).toContain('Cannot be borrowed now')
  })

  it('U9: a reader who has the book is told until when', async () => {
    server(student, { 'GET /me/loans': { body: { loans: [loan(7)], today: '2026-11-21', totalFine: 0 } } })
    renderApp('/stubook-detail/7')
    expect(await screen.findByText(/^You have this until 28 Nov 2026/)).toBeVisible()
    expect(screen.getByRole('link', { name: 'Return or extend it' })).toHaveAttribute('href', '/library/profile')
  })

  it('U10: the librarian’s rating and the readers’ are each called what they are', async () => {
    server(student, { 'GET /books/7': { body: detail({ rating: 5, averageRating: 4.3, reviewCount: 3 }) } })
    renderApp('/stubook-detail/7')
    const readers = (await screen.findByText('Readers')).closest('div')
    expect(readers).toHaveTextContent('4.3 out of 5')
    expect(readers).toHaveTextContent('3 reviews')
    const librarians = screen.getByText('Librarian’s rating').closest('div')
    expect(within(librarians as HTMLElement).getByRole('img', { name: 'Rated 5 out of 5' })).toBeInTheDocument()
  })

  it('U18: a visitor’s way home is the page that anyone may look at', async () => {
    server(null)
    renderApp('/stubook-detail/7')
    expect(await screen.findByRole('link', { name: 'Back to Home' })).toHaveAttribute('href', '/library/new-home')
  })
})

describe('borrowing', () => {
  it('R-LOAN-2: goes to /student-home and tells the return date', async () => {
    storedRole.set('student')
    server(student, { 'POST /books/7/loans': { status: 201, body: loan(7) } })
    const { router } = renderApp('/stubook-detail/7')
    await userEvent.click(await screen.findByRole('button', { name: 'Borrow' }))
    expect(await screen.findByText('“Book 7” is yours until 28 Nov 2026. Take it from Shelf A1.')).toBeVisible()
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
        return problem(409, 'book-unavailable')
      },
    })
    renderApp('/stubook-detail/7')
    await userEvent.click(await screen.findByRole('button', { name: 'Borrow' }))
    expect(await screen.findByRole('alert')).toHaveTextContent('This book is currently not available for borrowing.')
    expect(await screen.findByRole('button', { name: 'Not Available' })).toBeDisabled()
    expect(screen.getByRole('alert')).toHaveFocus()
  })

  const refusal = (id: string, code: string, facts: object, text: string) =>
    ({ id, code, facts, text, overridable: true }) as BookDetail['refusals'][number]

  it('R-RULE-1: where the desk lends, the way to it and the card take the place of the button', async () => {
    const refusals = [refusal('self.borrow', 'block.selfBorrow', {}, 'Books are borrowed at the library desk.')]
    server(student, { 'GET /books/7': { body: detail({ refusals }) } })
    renderApp('/stubook-detail/7')
    expect(await screen.findByText(/^Take it to the library desk.*Shelf A1$/)).toBeVisible()
    expect(screen.getByRole('button', { name: 'My ID card' })).toBeEnabled()
    expect(screen.queryByRole('button', { name: 'Borrow' })).not.toBeInTheDocument()
  })

  it('R-RULE-1: a limit is said under the disabled button before anything is pressed', async () => {
    const refusals = [refusal('limit.person', 'block.limit', { out: 8, max: 3, excess: 6 }, 'in English')]
    server(student, { 'GET /books/7': { body: detail({ refusals }) } })
    renderApp('/stubook-detail/7')
    const button = await screen.findByRole('button', { name: 'Borrow' })
    expect(button).toBeDisabled()
    expect(button).toHaveAccessibleDescription(/8 books are out; the limit is 3. Return 6 to borrow again./)
  })

  it('R-LOAN-2: a second copy is asked about first', async () => {
    const made = server(student, {
      'GET /me/loans': { body: { loans: [loan(1, { bookId: 7 })], today: '2026-11-21', totalFine: 0 } },
      'POST /books/7/loans': { status: 201, body: loan(2, { bookId: 7 }) },
    })
    renderApp('/stubook-detail/7')
    await screen.findByText(/You have this until/)
    await userEvent.click(screen.getByRole('button', { name: 'Borrow' }))
    const question = await screen.findByRole('dialog')
    expect(made.some(({ method }) => method === 'POST')).toBe(false)
    await userEvent.click(within(question).getByRole('button', { name: 'Borrow a second copy' }))
    await waitFor(() => expect(made.some(({ method }) => method === 'POST')).toBe(true))
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

  it('R-REV-1, U9: needs stars and a comment that is not blank, and then stands above the others as one’s own', async () => {
    const list = [review(1)]
    const made = server(student, {
      'GET /books/7/reviews': () => reviews(list, { yours: list.find(({ userId }) => userId === student.uid) ?? null }),
      'POST /books/7/reviews': async (request) => {
        const sent = (await request.json()) as ReviewForm
        const added = review(2, { ...sent, userId: student.uid, userName: student.name })
        list.unshift(added)
        return { status: 201, body: added }
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
    const own = screen.getByRole('region', { name: 'Your review' })
    expect(own).toHaveTextContent('Worth it.')
    expect(within(own).getByRole('heading')).toHaveFocus()
    expect(screen.queryByLabelText('Comment')).not.toBeInTheDocument()
    // The list of reviews does not repeat the reader's own review.
    expect(within(screen.getByRole('list', { name: 'Reviews' })).getAllByRole('listitem')).toHaveLength(1)
    expect(sessionStorage).toHaveLength(0)
  })

  it('U9: one’s own review is changed in the form, and taken back after a question', async () => {
    let yours: Review | null = review(3, { rating: 2, comment: 'Dull.', userId: student.uid, userName: student.name })
    const made = server(student, {
      'GET /books/7/reviews': () => reviews(yours ? [yours] : [], { yours }),
      'POST /books/7/reviews': async (request) => {
        const sent = (await request.json()) as ReviewForm
        yours = review(4, { ...sent, userId: student.uid })
        return { status: 201, body: yours }
      },
      'DELETE /reviews/4': () => {
        yours = null
        return { status: 204 }
      },
    })
    renderApp('/stubook-detail/7')
    await userEvent.click(await screen.findByRole('button', { name: 'Edit' }))
    expect(screen.getByRole('heading', { name: 'Edit your review' })).toHaveFocus()
    expect(screen.getByRole('radio', { name: '2 stars' })).toBeChecked()
    await userEvent.click(screen.getByRole('radio', { name: '5 stars' }))
    await userEvent.click(screen.getByRole('button', { name: 'Save Review' }))
    expect(await screen.findByText('Your review has been changed.')).toBeVisible()
    expect(await made.find(({ method }) => method === 'POST')?.json()).toEqual({ rating: 5, comment: 'Dull.' })

    await userEvent.click(await screen.findByRole('button', { name: 'Delete' }))
    await userEvent.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Delete' }))
    expect(await screen.findByRole('heading', { name: 'Write a review' })).toHaveFocus()
  })

  it('R-FAIL-1: a review that fails is logged and said, and what was typed survives a reload too', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    server(student, { 'POST /books/7/reviews': problem(503, 'busy') })
    const view = renderApp('/stubook-detail/7')
    await userEvent.type(await screen.findByLabelText('Comment'), 'Long thought out')
    await userEvent.click(screen.getByRole('radio', { name: '2 stars' }))
    await add()
    expect(
      await screen.findByText(
        'Your review could not be saved. The library is very busy. Nothing was changed; please try again in a moment.',
      ),
    ).toBeVisible()
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
