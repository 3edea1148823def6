import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { renderApp } from '../../../testing/render'
import { book, bookPage, librarian } from '../../../testing/samples'
import { fakeServer, problem } from '../../../testing/server'

const session = { 'GET /auth/session': { body: { user: librarian } } }

const shelf = [
  book(1, { title: 'Middlemarch', author: 'George Eliot', genre: 'Novel', rating: 5 }),
  book(2, { title: 'Ada', author: '', status: 'Not Available', noOfBooks: 0, rating: null }),
]

/** Answers as the server does: title or author contains the text. */
function catalogue(request: Request) {
  const q = new URL(request.url).searchParams.get('q')?.toLowerCase() ?? ''
  return bookPage(shelf.filter(({ title, author }) => `${title}\n${author}`.toLowerCase().includes(q)))
}

describe('admin home', () => {
  beforeEach(() => {
    window.innerWidth = 1440
  })

  it('R-HOME-3: a card shows title, author, genre, status, stars, Update and Delete', async () => {
    fakeServer({ ...session, 'GET /books': catalogue })
    renderApp('/home')
    const link = await screen.findByRole('link', { name: 'Middlemarch' })
    expect(link).toHaveAttribute('href', '/library/book-detail/1')
    const card = within(screen.getByRole('region', { name: 'Books' }))
    expect(card.getByText('George Eliot')).toBeVisible()
    expect(card.getByText('Novel')).toBeVisible()
    expect(card.getByText('Available')).toBeVisible()
    expect(card.getByText('Not Available')).toBeVisible()
    expect(card.getByRole('img', { name: 'Rated 5 out of 5' })).toBeVisible()
    expect(card.getByText('Not rated')).toBeVisible()
    expect(card.getByText('Unknown author')).toBeVisible()
    expect(card.getByRole('link', { name: 'Update Middlemarch' })).toHaveAttribute('href', '/library/update/1')
    expect(card.getByRole('button', { name: 'Delete Middlemarch' })).toBeEnabled()
    expect(screen.getByRole('link', { name: 'Add New Book' })).toHaveAttribute('href', '/library/add')
  })

  it('R-HOME-3: six cards in a row on a wide screen, numbered within the whole list', async () => {
    // jsdom lays nothing out: every row is as high as a real one.
    vi.spyOn(HTMLElement.prototype, 'offsetHeight', 'get').mockReturnValue(520)
    fakeServer({
      ...session,
      'GET /books': bookPage(
        Array.from({ length: 60 }, (_, index) => book(index + 1)),
        { total: 900, next: 'more' },
      ),
    })
    renderApp('/home')
    const items = await screen.findAllByRole('listitem')
    expect(items[0]).toHaveAttribute('aria-posinset', '1')
    expect(items[0]).toHaveAttribute('aria-setsize', '900')
    expect(items[0]?.parentElement?.children).toHaveLength(6)
    // Only the rows near the window are in the page.
    expect(items.length).toBeLessThan(60)
  })

  it('R-HOME-2: typing filters by title or author, the address holds it, the count is said, Escape clears', async () => {
    fakeServer({ ...session, 'GET /books': catalogue })
    const { router } = renderApp('/home')
    await screen.findByText('2 books')
    await userEvent.keyboard('/')
    expect(screen.getByRole('searchbox')).toHaveFocus()
    await userEvent.keyboard('eliot')
    expect(await screen.findByText('1 book matches')).toBeVisible()
    expect(router.state.location.search).toBe('?q=eliot')
    await waitFor(() => expect(screen.queryByRole('link', { name: 'Ada' })).not.toBeInTheDocument())
    await userEvent.keyboard('{Escape}')
    expect(await screen.findByText('2 books')).toBeVisible()
    expect(router.state.location.search).toBe('')
  })

  it('a search without result repeats the words', async () => {
    fakeServer({ ...session, 'GET /books': catalogue })
    renderApp('/home?q=zzz')
    expect(await screen.findByText(/No book matches “zzz”/)).toBeVisible()
    expect(screen.getByRole('searchbox')).toHaveValue('zzz')
  })

  it('R-HOME-4: a double click on the card and Enter on its link open /book-detail/{id}', async () => {
    fakeServer({
      ...session,
      'GET /books': catalogue,
      'GET /books/1': { body: { ...shelf[0], averageRating: null, reviewCount: 0 } },
    })
    const { router } = renderApp('/home')
    await userEvent.dblClick(await screen.findByText('George Eliot'))
    await waitFor(() => expect(router.state.location.pathname).toBe('/library/book-detail/1'))
    await router.navigate('/home')
    const link = await screen.findByRole('link', { name: 'Middlemarch' })
    link.focus()
    await userEvent.keyboard('{Enter}')
    await waitFor(() => expect(router.state.location.pathname).toBe('/library/book-detail/1'))
  })

  it('arrow keys move between the books', async () => {
    fakeServer({ ...session, 'GET /books': catalogue })
    renderApp('/home')
    const first = await screen.findByRole('link', { name: 'Middlemarch' })
    first.focus()
    await userEvent.keyboard('{ArrowRight}')
    expect(screen.getByRole('link', { name: 'Ada' })).toHaveFocus()
    await userEvent.keyboard('{ArrowLeft}')
    expect(first).toHaveFocus()
  })

  it('R-HOME-5: an empty catalogue says so and offers to add a book', async () => {
    fakeServer({ ...session, 'GET /books': bookPage([]) })
    renderApp('/home')
    expect(await screen.findByText('No books available. Please add some books!')).toBeVisible()
    expect(screen.getAllByRole('link', { name: 'Add New Book' })).not.toHaveLength(0)
  })

  it('a list that could not be fetched says why and tries again', async () => {
    let broken = true
    fakeServer({
      ...session,
      'GET /books': (request) => (broken ? problem(500, 'internal', 'Out of order.') : catalogue(request)),
    })
    renderApp('/home')
    expect(await screen.findByText('Out of order.')).toBeVisible()
    broken = false
    await userEvent.click(screen.getByRole('button', { name: 'Try again' }))
    expect(await screen.findByRole('link', { name: 'Middlemarch' })).toBeVisible()
  })

  it('deleting asks first, names the book, and takes it out of the list', async () => {
    let there = shelf
    fakeServer({
      ...session,
      'GET /books': () => bookPage(there),
      'DELETE /books/1': () => {
        there = shelf.slice(1)
        return { status: 204 }
      },
    })
    renderApp('/home')
    await userEvent.click(await screen.findByRole('button', { name: 'Delete Middlemarch' }))
    const dialog = await screen.findByRole('dialog')
    expect(dialog).toHaveTextContent('Middlemarch')
    await userEvent.click(within(dialog).getByRole('button', { name: 'Delete' }))
    await waitFor(() => expect(screen.queryByRole('link', { name: 'Middlemarch' })).not.toBeInTheDocument())
    expect(screen.getByText('1 book')).toBeVisible()
  })

  it('R-HOME-6: Error deleting book, please try again.', async () => {
    const logged = vi.spyOn(console, 'error').mockReturnValue(undefined)
    fakeServer({ ...session, 'GET /books': catalogue, 'DELETE /books/1': problem(503, 'busy', 'Busy.') })
    renderApp('/home')
    await userEvent.click(await screen.findByRole('button', { name: 'Delete Middlemarch' }))
    await userEvent.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Delete' }))
    expect(await screen.findByText('Error deleting book, please try again.')).toBeVisible()
    expect(screen.getByRole('link', { name: 'Middlemarch' })).toBeInTheDocument()
    expect(logged).toHaveBeenCalled()
  })
})
