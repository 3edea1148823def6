import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { Person } from '../../../api/types'
import { renderApp } from '../../../testing/render'
import { book, bookDetail, bookPage, librarian, sessionOf } from '../../../testing/samples'
import { fakeServer, problem } from '../../../testing/server'

const session = { 'GET /auth/session': sessionOf(librarian) }

const shelf = [
  book(1, { title: 'Middlemarch', author: 'George Eliot', genre: 'Novel', rating: 5 }),
  book(2, { title: 'Ada', author: '', status: 'Not Available', noOfBooks: 0, rating: null }),
]

/** Answers like the server: title or author contains the text. */
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
    // U24: only unusual states are marked.
    expect(card.queryByText('Available')).not.toBeInTheDocument()
    expect(card.getByText('Not Available')).toBeVisible()
    expect(card.getByRole('img', { name: 'Librarian’s rating: 5 out of 5' })).toBeVisible()
    expect(card.getByText('Not rated')).toBeVisible()
    expect(card.getByText('Unknown author')).toBeVisible()
    expect(card.getByRole('link', { name: 'Update Middlemarch' })).toHaveAttribute('href', '/library/update/1')
    expect(card.getByRole('button', { name: 'Delete Middlemarch' })).toBeEnabled()
    expect(screen.getByRole('link', { name: 'Add New Book' })).toHaveAttribute('href', '/library/add')
  })

  it('R-HOME-3: six cards in a row on a wide screen, numbered within the whole list', async () => {
    // jsdom has no layout: every row gets a realistic height.
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
    // Only rows near the window are rendered.
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

  it('U6: what another spelling finds stands below under its own heading, each book with the word', async () => {
    fakeServer({
      ...session,
      'GET /books': bookPage([], { similar: [{ ...book(7, { title: 'Rāmāyaṇa' }), spelled: ['Rāmāyaṇa'] }] }),
    })
    renderApp('/home?q=ramyan')
    const similar = within(await screen.findByRole('region', { name: 'Similar matches' }))
    expect(similar.getByRole('link', { name: 'Rāmāyaṇa' })).toHaveAttribute('href', '/library/book-detail/7')
    expect(similar.getByText('spelled “Rāmāyaṇa”')).toBeVisible()
  })

  it('N3: books with the word in another script are above those that have it only inside longer words', async () => {
    const similar = [{ ...book(7, { title: 'गोदान' }), spelled: ['गोदान'] }]
    fakeServer({
      ...session,
      'GET /books': bookPage([book(8, { title: 'Prāyaścittagodāna' })], { similar, similarFirst: true }),
    })
    renderApp('/home?q=godan')
    const meant = await screen.findByRole('link', { name: 'गोदान' })
    const inside = await screen.findByRole('link', { name: 'Prāyaścittagodāna' })
    expect(meant.compareDocumentPosition(inside)).toBe(Node.DOCUMENT_POSITION_FOLLOWING)
    expect(screen.getByText('1 book matches')).toBeVisible()
  })

  it('R-HOME-2: says what was searched instead of words that no book has, over the books', async () => {
    const spelled = { words: 'प्रेमचंद', fewer: false }
    fakeServer({ ...session, 'GET /books': bookPage([book(7, { title: 'गोदान' })], { meant: spelled }) })
    renderApp('/home?q=premchand')
    expect(await screen.findByRole('link', { name: 'गोदान' })).toBeVisible()
    expect(screen.getByText(/Showing/)).toHaveTextContent(/Showing .?प्रेमचंद.? for “premchand” · 1 book matches/u)
    expect(screen.getByRole('option', { name: 'Best match' })).toBeInTheDocument()
    expect(screen.queryByText(/No book matches/)).not.toBeInTheDocument()
  })

  it('R-HOME-2: says which of the words were searched if no book has all', async () => {
    const fewer = { words: 'hawking', fewer: true }
    fakeServer({ ...session, 'GET /books': bookPage([book(7)], { meant: fewer }) })
    renderApp('/home?q=hawking+quarks')
    expect(await screen.findByText(/Nothing for all words/)).toHaveTextContent(
      'Nothing for all words. With hawking: 1 book',
    )
  })

  it('a search without result repeats the words', async () => {
    fakeServer({ ...session, 'GET /books': catalogue })
    renderApp('/home?q=zzz')
    expect(await screen.findByText(/No book matches “zzz”/)).toBeVisible()
    expect(screen.getByRole('searchbox')).toHaveValue('zzz')
  })

  it.each([
    ['a double click on the card', (link: HTMLElement) => userEvent.dblClick(link)],
    [
      'Enter on its link',
      (link: HTMLElement) => {
        link.focus()
        return userEvent.keyboard('{Enter}')
      },
    ],
  ])('R-HOME-4: %s opens /book-detail/{id}', async (_what, open) => {
    fakeServer({ ...session, 'GET /books': catalogue, 'GET /books/1': { body: bookDetail(1) } })
    const { router } = renderApp('/home')
    await open(await screen.findByRole('link', { name: 'Middlemarch' }))
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
      'GET /books': (request) => (broken ? problem(500, 'internal') : catalogue(request)),
    })
    renderApp('/home')
    expect(
      await screen.findByText('Something went wrong on the server. Nothing was changed; please try again.'),
    ).toBeVisible()
    broken = false
    await userEvent.click(screen.getByRole('button', { name: 'Try again' }))
    expect(await screen.findByRole('link', { name: 'Middlemarch' })).toBeVisible()
  })

  it('W6: Try again asks for the page that failed', async () => {
    vi.spyOn(console, 'error').mockReturnValue(undefined)
    let broken = true
    const second = book(61, { title: 'The last one' })
    const requests = fakeServer({
      ...session,
      'GET /books': ({ url }) => {
        if (!new URL(url).searchParams.has('cursor')) return bookPage(shelf, { total: 3, next: 'more' })
        return broken ? problem(500, 'internal') : bookPage([second])
      },
    })
    renderApp('/home')
    expect(
      await screen.findByText('Something went wrong on the server. Nothing was changed; please try again.'),
    ).toBeVisible()
    broken = false
    const before = requests.length
    await userEvent.click(screen.getByRole('button', { name: 'Try again' }))
    expect(await screen.findByRole('link', { name: 'The last one' })).toBeInTheDocument()
    const pages = requests.slice(before).filter(({ url }) => new URL(url).pathname.endsWith('/books'))
    expect(pages.map(({ url }) => new URL(url).searchParams.get('cursor'))).toEqual(['more'])
  })

  it('the order is chosen, and the address holds it', async () => {
    const requests = fakeServer({ ...session, 'GET /books': catalogue })
    const { router } = renderApp('/home')
    await userEvent.selectOptions(await screen.findByRole('combobox', { name: 'Sort by' }), 'Newest first')
    expect(router.state.location.search).toBe('?sort=newest')
    await waitFor(() => expect(requests.some(({ url }) => url.includes('sort=newest'))).toBe(true))
  })

  it('genre and availability are chosen, the address holds them, and where they leave nothing all comes back', async () => {
    const requests = fakeServer({
      ...session,
      'GET /books': ({ url }) => bookPage(url.includes('available=true') ? [] : shelf),
      'GET /genres': { body: { genres: [{ genre: 'Novel', books: 1250 }] } },
    })
    const { router } = renderApp('/home')
    await screen.findByRole('option', { name: 'Novel (1,250)' })
    await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Genre' }), 'Novel (1,250)')
    await waitFor(() => expect(requests.some(({ url }) => url.includes('genre=Novel'))).toBe(true))
    await userEvent.click(screen.getByRole('checkbox', { name: 'Available now' }))
    expect(router.state.location.search).toBe('?genre=Novel&available=yes')
    await userEvent.click(await screen.findByRole('button', { name: 'Clear filters' }))
    expect(await screen.findByRole('link', { name: 'Middlemarch' })).toBeVisible()
    expect(router.state.location.search).toBe('')
  })

  it('the exact number of many matches is counted when somebody asks for it', async () => {
    fakeServer({
      ...session,
      'GET /books': ({ url }) =>
        bookPage(shelf, url.includes('exact=true') ? { total: 20_501 } : { total: 1000, totalIsExact: false }),
    })
    renderApp('/home?q=history')
    expect(await screen.findByText(/1,000\+ books match/)).toBeVisible()
    await userEvent.click(screen.getByRole('button', { name: 'Count all' }))
    expect(await screen.findByText('20,501 books match')).toBeVisible()
  })

  it('a roll number typed among the books leads to its person', async () => {
    const person = { uid: 7, name: 'Asha Rao', rollNumber: 'cs25-014' } as Person
    fakeServer({
      ...session,
      'GET /books': bookPage([]),
      'GET /people': ({ url }) => {
        const people = new URL(url).searchParams.get('rollNumber') === 'CS25-014' ? [person] : []
        return { body: { people, total: people.length, today: '2026-11-28', next: null, previous: null } }
      },
    })
    renderApp('/home?q=CS25-014')
    expect(await screen.findByRole('link', { name: 'Asha Rao' })).toHaveAttribute('href', '/library/people/7')
  })

  it('U17: × clears the search and stays in it, Enter searches at once', async () => {
    fakeServer({ ...session, 'GET /books': catalogue })
    const { router } = renderApp('/home?q=eliot')
    await userEvent.click(await screen.findByRole('button', { name: 'Clear the search' }))
    expect(router.state.location.search).toBe('')
    expect(screen.getByRole('searchbox')).toHaveFocus()
    await userEvent.type(screen.getByRole('searchbox'), 'ada{Enter}')
    expect(router.state.location.search).toBe('?q=ada')
  })

  it('W20: Escape that ends the composing of a word leaves the search alone', async () => {
    fakeServer({ ...session, 'GET /books': catalogue })
    renderApp('/home?q=eliot')
    const box = await screen.findByRole('searchbox')
    fireEvent.keyDown(box, { key: 'Escape', isComposing: true })
    expect(box).toHaveValue('eliot')
  })

  it('W21: who is signed out while deleting is told so once, by the sign-in page', async () => {
    vi.spyOn(console, 'error').mockReturnValue(undefined)
    fakeServer({
      ...session,
      'GET /books': catalogue,
      'DELETE /books/1': problem(401, 'not-signed-in'),
    })
    renderApp('/home')
    await userEvent.click(await screen.findByRole('button', { name: 'Delete Middlemarch' }))
    await userEvent.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Delete' }))
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())
    expect(screen.queryByText('Error deleting book, please try again.')).not.toBeInTheDocument()
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
    // U8: enough details to distinguish the book from another one of the same title.
    for (const words of ['Middlemarch', 'George Eliot', '3 copies on the shelf', 'Shelf A1']) {
      expect(dialog).toHaveTextContent(words)
    }
    await userEvent.click(within(dialog).getByRole('button', { name: 'Delete' }))
    await waitFor(() => expect(screen.queryByRole('link', { name: 'Middlemarch' })).not.toBeInTheDocument())
    expect(screen.getByText('1 book')).toBeVisible()
  })

  it('B2: the question tells who is touched: copies on loan, and people who wait', async () => {
    fakeServer({
      ...session,
      'GET /books': catalogue,
      'GET /books/1': {
        body: bookDetail(1, {
          reservation: { offered: false, waiting: 3, free: 3, fillable: true, inRepair: 0, backBy: null, own: null },
        }),
        headers: { ETag: '"1"' },
      },
      'GET /books/1/copies': {
        body: { copies: [], counts: [{ state: 'on-loan', count: 2 }], next: null },
      },
    })
    renderApp('/home')
    await userEvent.click(await screen.findByRole('button', { name: 'Delete Middlemarch' }))
    const dialog = await screen.findByRole('dialog')
    expect(dialog).toHaveTextContent('3 copies on the shelf')
    expect(await within(dialog).findByText('2 copies are on loan.')).toBeVisible()
    expect(within(dialog).getByText('3 waiting readers lose their places in line.')).toBeVisible()
  })

  it('W23, W24: one question is asked for each book in turn, and the keyboard goes on where a deleted one stood', async () => {
    let there = shelf
    const remove = (id: number) => () => {
      there = there.filter((one) => one.id !== id)
      return { status: 204 } as const
    }
    fakeServer({
      ...session,
      'GET /books': () => bookPage(there),
      'DELETE /books/1': remove(1),
      'DELETE /books/2': remove(2),
    })
    renderApp('/home')
    await userEvent.click(await screen.findByRole('button', { name: 'Delete Ada' }))
    expect(await screen.findByRole('dialog')).toHaveTextContent('Ada')
    await userEvent.keyboard('{Escape}')
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())

    await userEvent.click(screen.getByRole('button', { name: 'Delete Middlemarch' }))
    const dialog = await screen.findByRole('dialog')
    expect(dialog).not.toHaveTextContent('Ada')
    await userEvent.click(within(dialog).getByRole('button', { name: 'Delete' }))
    await waitFor(() => expect(screen.getByRole('button', { name: 'Delete Ada' })).toHaveFocus())

    await userEvent.keyboard('{Enter}')
    await userEvent.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Delete' }))
    await waitFor(() => expect(screen.getByRole('searchbox')).toHaveFocus())
  })

  it('R-HOME-6: Error deleting book, please try again.', async () => {
    const logged = vi.spyOn(console, 'error').mockReturnValue(undefined)
    fakeServer({
      ...session,
      'GET /books': catalogue,
      'DELETE /books/1': problem(503, 'busy'),
    })
    renderApp('/home')
    await userEvent.click(await screen.findByRole('button', { name: 'Delete Middlemarch' }))
    await userEvent.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Delete' }))
    expect(await screen.findByText('Error deleting book, please try again.')).toBeVisible()
    expect(screen.getByRole('link', { name: 'Middlemarch' })).toBeInTheDocument()
    expect(logged).toHaveBeenCalled()
  })

  it('W18: a book that somebody else deleted meanwhile does not stay behind as a ghost', async () => {
    vi.spyOn(console, 'error').mockReturnValue(undefined)
    let there = shelf
    fakeServer({
      ...session,
      'GET /books': () => bookPage(there),
      'DELETE /books/1': () => {
        there = shelf.slice(1)
        return problem(404, 'not-found')
      },
    })
    renderApp('/home')
    await userEvent.click(await screen.findByRole('button', { name: 'Delete Middlemarch' }))
    await userEvent.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Delete' }))
    expect(await screen.findByText('Error deleting book, please try again.')).toBeVisible()
    await waitFor(() => expect(screen.queryByRole('link', { name: 'Middlemarch' })).not.toBeInTheDocument())
  })
})
