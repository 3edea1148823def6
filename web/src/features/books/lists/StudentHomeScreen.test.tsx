import { act, fireEvent, render, screen, waitFor, within } from '@testing-library/react'
import { MantineProvider } from '@mantine/core'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { storedRole } from '../../../lib/storage'
import { renderApp } from '../../../testing/render'
import { book, bookDetail, bookPage, config, loan, notice, sessionOf, student } from '../../../testing/samples'
import { fakeServer, problem } from '../../../testing/server'
import { Carousel } from './Carousel'

describe('student home', () => {
  it('R-STU-1: search, cards without edit or delete, double click opens /stubook-detail/{id}', async () => {
    window.innerWidth = 1440
    storedRole.set('student')
    fakeServer({
      'GET /auth/session': sessionOf(student),
      'GET /books': bookPage([book(7, { title: 'Middlemarch', author: 'George Eliot' })]),
      'GET /books/7': { body: bookDetail(7) },
    })
    const { router } = renderApp('/student-home')
    expect(await screen.findByRole('searchbox')).toBeVisible()
    await userEvent.dblClick(await screen.findByRole('link', { name: 'Middlemarch' }))
    expect(screen.queryByRole('button', { name: /Delete/ })).not.toBeInTheDocument()
    expect(screen.queryByRole('link', { name: /^Update/ })).not.toBeInTheDocument()
    await waitFor(() => expect(router.state.location.pathname).toBe('/library/stubook-detail/7'))
  })
})

describe('a search in one genre', () => {
  it('R-HOME-2: that finds nothing names both, and a press searches all genres', async () => {
    storedRole.set('student')
    fakeServer({
      'GET /auth/session': sessionOf(student),
      'GET /config': { body: config },
      'GET /books': bookPage([]),
    })
    const { router } = renderApp('/student-home?q=zzz&genre=Physics')
    expect(await screen.findByText('No “zzz” in Physics.')).toBeVisible()
    await userEvent.click(screen.getByRole('button', { name: 'Search all genres' }))
    await waitFor(() => expect(router.state.location.search).toBe('?q=zzz'))
  })
})

describe('a search or a filter that finds nothing', () => {
  const genres = [
    { genre: 'Physics', books: 3 },
    { genre: 'History', books: 12 },
  ]
  const home = (address: string, page = bookPage([])) => {
    storedRole.set('student')
    fakeServer({
      'GET /auth/session': sessionOf(student),
      'GET /config': { body: config },
      'GET /books': ({ url }) => (new URL(url).searchParams.has('q') ? page : bookPage([book(7)])),
      'GET /genres': { body: { genres } },
    })
    return renderApp(address).router
  }

  it('R-HOME-2: says what to try, and a press clears the search and leads back to its box', async () => {
    const router = home('/student-home?q=zzz')
    expect(await screen.findByText('No book matches “zzz”. Try fewer words or another spelling.')).toBeVisible()
    await userEvent.click(screen.getByRole('button', { name: 'Clear search' }))
    expect(await screen.findByRole('link', { name: 'Book 7' })).toBeVisible()
    expect(router.state.location.search).toBe('')
    expect(screen.getByRole('searchbox')).toHaveValue('')
    expect(screen.getByRole('searchbox')).toHaveFocus()
  })

  it('leads to the popular books, and to all books of a genre, the commonest first', async () => {
    const router = home('/student-home?q=zzz&available=yes')
    const browse = within(await screen.findByRole('navigation', { name: 'Browse by genre' }))
    await browse.findByRole('link', { name: 'History' })
    expect(browse.getAllByRole('link').map(({ textContent }) => textContent)).toEqual(['History', 'Physics'])
    expect(within(screen.getByRole('main')).getByRole('link', { name: 'Popular books' })).toHaveAttribute(
      'href',
      '/library/new-home',
    )
    await userEvent.click(browse.getByRole('link', { name: 'History' }))
    expect(await screen.findByRole('link', { name: 'Book 7' })).toBeVisible()
    expect(router.state.location.search).toBe('?genre=History')
    expect(screen.getByRole('searchbox')).toHaveValue('')
    expect(screen.getByRole('heading', { level: 1 })).toHaveFocus()
  })

  it('clears the filters and keeps the search, or the other way round', async () => {
    const router = home('/student-home?q=zzz&available=yes')
    await userEvent.click(await screen.findByRole('button', { name: 'Clear filters' }))
    await waitFor(() => expect(router.state.location.search).toBe('?q=zzz'))
    expect(screen.getByRole('heading', { level: 1 })).toHaveFocus()
    act(() => void router.navigate('/student-home?q=zzz&available=yes'))
    await waitFor(() => expect(router.state.location.search).toBe('?q=zzz&available=yes'))
    await userEvent.click(screen.getByRole('button', { name: 'Clear search' }))
    await waitFor(() => expect(router.state.location.search).toBe('?available=yes'))
  })

  it('offers no other books where similar ones are below', async () => {
    home('/student-home?q=zzz', bookPage([], { similar: [{ ...book(8), spelled: ['zzs'] }] }))
    expect(await screen.findByRole('region', { name: 'Similar matches' })).toBeVisible()
    expect(screen.queryByRole('navigation', { name: 'Browse by genre' })).not.toBeInTheDocument()
  })
})

describe('shelves', () => {
  const shelves = { popular: [book(1)], department: [], newest: [book(2), book(1)], returned: [] }
  const home = (calls: object = {}) =>
    fakeServer({
      'GET /auth/session': sessionOf(student),
      'GET /config': { body: config },
      'GET /books': bookPage([book(7), book(8)]),
      'GET /shelves': { body: shelves },
      ...calls,
    })

  const newlyArrived = () => screen.findByRole('region', { name: 'Newly arrived' })

  beforeEach(() => storedRole.set('student'))

  it('R-STU-1: stand below the first books, each with its covers, and one without books is left out', async () => {
    const made = home()
    renderApp('/student-home')
    const popular = within(await screen.findByRole('region', { name: 'Popular this month' }))
    expect(await popular.findByRole('link')).toHaveAttribute('href', '/library/stubook-detail/1')
    const newest = screen.getByRole('region', { name: 'Newly arrived' })
    expect(within(newest).getAllByRole('link')).toHaveLength(2)
    expect(screen.queryByRole('region', { name: 'Returned today' })).not.toBeInTheDocument()
    expect(made.filter(({ url }) => url.endsWith('/shelves'))).toHaveLength(1)
    const first = screen.getByRole('link', { name: 'Book 7' })
    expect(first.compareDocumentPosition(newest) & Node.DOCUMENT_POSITION_FOLLOWING).toBeTruthy()
  })

  it('leave out of the popular books those right above', async () => {
    window.innerWidth = 1440
    home({ 'GET /shelves': { body: { ...shelves, popular: [book(8), book(3), book(7)], newest: [book(7)] } } })
    renderApp('/student-home')
    const popular = within(await screen.findByRole('region', { name: 'Popular this month' }))
    expect((await popular.findAllByRole('link')).map((link) => link.title)).toEqual(['Book 3'])
    expect(within(screen.getByRole('region', { name: 'Newly arrived' })).getByRole('link')).toHaveProperty(
      'title',
      'Book 7',
    )
  })

  it('have no row of popular books if all of them are right above', async () => {
    window.innerWidth = 1440
    home({ 'GET /shelves': { body: { ...shelves, popular: [book(8), book(7)] } } })
    renderApp('/student-home')
    expect((await within(await newlyArrived()).findAllByRole('link')).length).toBe(2)
    expect(screen.queryByRole('region', { name: 'Popular this month' })).not.toBeInTheDocument()
  })

  it.each(['?q=novel', '?genre=Novel', '?sort=author'])(
    'make room for a list that was asked for: %s',
    async (search) => {
      const made = home()
      renderApp(`/student-home${search}`)
      expect(await screen.findByRole('link', { name: 'Book 7' })).toBeVisible()
      await new Promise((resolve) => setTimeout(resolve, 50))
      expect(made.some(({ url }) => url.endsWith('/shelves'))).toBe(false)
    },
  )

  it('move the focus by the arrow keys from cover to cover, and stay where the row ends', async () => {
    home({ 'GET /shelves': { body: { ...shelves, newest: [book(2), book(1), book(3)] } } })
    renderApp('/student-home')
    const newest = within(await screen.findByRole('region', { name: 'Newly arrived' }))
    const [first, second, last] = await newest.findAllByRole('link')
    act(() => first?.focus())
    await userEvent.keyboard('{ArrowRight}')
    expect(second).toHaveFocus()
    await userEvent.keyboard('{End}')
    expect(last).toHaveFocus()
    await userEvent.keyboard('{ArrowRight}{ArrowDown}')
    expect(last).toHaveFocus()
    await userEvent.keyboard('{Home}{ArrowLeft}')
    expect(first).toHaveFocus()
  })

  it('are turned by buttons as far as there are books, which a shelf without more books lacks', async () => {
    vi.spyOn(Element.prototype, 'clientWidth', 'get').mockReturnValue(900)
    const wide = vi.spyOn(Element.prototype, 'scrollWidth', 'get').mockReturnValue(1500)
    Element.prototype.scrollBy = vi.fn(function (this: Element, by?: ScrollToOptions | number) {
      this.scrollLeft += typeof by === 'object' ? (by.left ?? 0) : 0
      fireEvent.scroll(this)
    })
    home()
    renderApp('/student-home')
    const newest = within(await screen.findByRole('region', { name: 'Newly arrived' }))
    const next = await newest.findByRole('button', { name: 'More books on this shelf' })
    const previous = newest.getByRole('button', { name: 'Earlier books on this shelf' })
    expect(previous).toBeDisabled()
    await userEvent.click(next)
    expect(newest.getByRole('list').scrollLeft).toBe(900)
    expect(next).toBeDisabled()
    await userEvent.click(previous)
    expect(newest.getByRole('list').scrollLeft).toBe(0)
    wide.mockReturnValue(900)
    fireEvent.scroll(newest.getByRole('list'))
    await waitFor(() => expect(newest.queryByRole('button')).not.toBeInTheDocument())
  })

  it('are left out when they cannot be fetched', async () => {
    home({ 'GET /shelves': problem(500, 'internal') })
    renderApp('/student-home')
    expect(await screen.findByRole('link', { name: 'Book 7' })).toBeVisible()
    await waitFor(() => expect(screen.queryByRole('region', { name: 'Newly arrived' })).not.toBeInTheDocument())
  })
})

describe('the order of the books', () => {
  const home = (address: string, books: Parameters<typeof fakeServer>[0]['GET /books'] = bookPage([book(7)])) => {
    window.innerWidth = 1440
    storedRole.set('student')
    const made = fakeServer({
      'GET /auth/session': sessionOf(student),
      'GET /config': { body: config },
      'GET /books': books,
      'GET /shelves': { body: { popular: [], department: [], newest: [], returned: [] } },
    })
    const { router } = renderApp(address)
    const orders = () =>
      made
        .map(({ url }) => new URL(url))
        .filter(({ pathname }) => pathname.endsWith('/books'))
        .map(({ searchParams }) => searchParams.get('sort'))
        .filter((sort) => sort !== 'newest') // The slide's.
    return { router, orders }
  }
  const sortBy = () => screen.findByRole('combobox', { name: 'Sort by' })

  it.each([
    ['Title', 'title'],
    ['Author', 'author'],
  ])('R-HOME-2: popular books come first, and %s may be chosen, which the address holds', async (name, sort) => {
    const { router, orders } = home('/student-home')
    expect(await sortBy()).toHaveDisplayValue('Popular')
    expect(orders()).toEqual(['popular'])
    await userEvent.selectOptions(await sortBy(), name)
    await waitFor(() => expect(orders()).toEqual(['popular', sort]))
    expect(router.state.location.search).toBe(`?sort=${sort}`)
    await userEvent.selectOptions(await sortBy(), 'Popular')
    await waitFor(() => expect(router.state.location.search).toBe(''))
  })

  it('R-HOME-2: a list begins at a letter, says if nothing follows, and another order begins at its start', async () => {
    const { router, orders } = home('/student-home?sort=title', ({ url }) =>
      bookPage(new URL(url).searchParams.has('from') ? [] : [book(7)], { total: 1 }),
    )
    await userEvent.selectOptions(await screen.findByRole('combobox', { name: 'Begin at' }), 'M')
    expect(await screen.findByText('No book of this list begins with “M” or comes after it.')).toBeVisible()
    expect(router.state.location.search).toBe('?sort=title&from=M')
    await userEvent.selectOptions(await sortBy(), 'Newest first')
    expect(await screen.findByRole('link', { name: 'Book 7' })).toBeVisible()
    expect(router.state.location.search).toBe('?sort=newest')
    expect(screen.queryByRole('combobox', { name: 'Begin at' })).not.toBeInTheDocument()
    expect(orders()).toEqual(['title', 'title'])
  })

  it('R-HOME-2: a search has the best match first', async () => {
    const { orders } = home('/student-home?q=novel')
    expect(await sortBy()).toHaveDisplayValue('Best match')
    expect(orders()).toEqual(['title'])
  })
})

describe('genre chips', () => {
  const genres = ['Art', 'Drama', 'Fables', 'History', 'Law', 'Music', 'Novel', 'Poetry', 'Travel']
  const home = (offered = genres.map((genre, index) => ({ genre, books: index + 1 }))) => {
    storedRole.set('student')
    return fakeServer({
      'GET /auth/session': sessionOf(student),
      'GET /config': { body: config },
      'GET /books': bookPage([book(7)]),
      'GET /genres': { body: { genres: offered } },
    })
  }

  /** Makes the window as wide as a laptop's. */
  function onLaptop() {
    window.innerWidth = 1440
    const ask = window.matchMedia
    vi.spyOn(window, 'matchMedia').mockImplementation((query) =>
      Object.assign(ask(query), { matches: query.includes('min-width') }),
    )
  }

  it('R-HOME-2: are the commonest genres; a press narrows the list and another one clears it', async () => {
    onLaptop()
    const made = home()
    const { router } = renderApp('/student-home')
    const chips = within(await screen.findByRole('group', { name: 'Common genres' }))
    const novel = await chips.findByRole('button', { name: 'Novel' })
    expect(chips.getAllByRole('button').map(({ textContent }) => textContent)).toEqual([
      'Travel',
      'Poetry',
      'Novel',
      'Music',
      'Law',
      'History',
      'Fables',
      'Drama',
    ])
    expect(novel).toHaveAttribute('aria-pressed', 'false')
    await userEvent.click(novel)
    expect(router.state.location.search).toBe('?genre=Novel')
    expect(novel).toHaveAttribute('aria-pressed', 'true')
    await waitFor(() => expect(made.some(({ url }) => url.includes('genre=Novel'))).toBe(true))
    await userEvent.click(novel)
    expect(router.state.location.search).toBe('')
  })

  it('are left out of a library with one genre', async () => {
    onLaptop()
    home([{ genre: 'Novel', books: 3 }])
    renderApp('/student-home')
    expect(await screen.findByRole('option', { name: 'Novel (3)' })).toBeInTheDocument()
    expect(screen.queryByRole('group', { name: 'Common genres' })).not.toBeInTheDocument()
  })

  it('are in the filter sheet on a phone, and asked for when it opens', async () => {
    window.innerWidth = 390
    const made = home()
    const asked = () => made.filter(({ url }) => url.endsWith('/genres'))
    renderApp('/student-home')
    const open = await screen.findByRole('button', { name: 'Filter' })
    expect(asked()).toHaveLength(0)
    await userEvent.click(open)
    await waitFor(() => expect(asked()).toHaveLength(1))
    const sheet = within(await screen.findByRole('dialog'))
    await userEvent.click(await sheet.findByRole('button', { name: 'Novel' }))
    await waitFor(() => expect(sheet.getByRole('combobox', { name: 'Genre' })).toHaveValue('Novel'))
  })
})

describe('notices that wait for the student', () => {
  it.each([
    [390, ['“Book 1” is due back today, 28 Nov 2026.'], '4 more notices'],
    [1440, [1, 2, 3].map((n) => `“Book ${n}” is due back today, 28 Nov 2026.`), '2 more notices'],
  ])('R-STU-1: at %i px, the first ones and the way to the others', async (width, shown, more) => {
    storedRole.set('student')
    window.innerWidth = width
    fakeServer({
      'GET /auth/session': { body: { ...sessionOf(student).body, unreadNotices: 5 } },
      'GET /config': { body: config },
      'GET /books': bookPage([book(7)]),
      'GET /me/notices': { body: { notices: [1, 2, 3, 4, 5].map((id) => notice(id)), unread: 5, next: null } },
    })
    const ask = window.matchMedia
    vi.spyOn(window, 'matchMedia').mockImplementation((query) =>
      Object.assign(ask(query), { matches: query === '(min-width: 48em)' && width >= 768 }),
    )
    renderApp('/student-home')
    const waiting = within(await screen.findByRole('region', { name: 'Waiting for you' }))
    expect(waiting.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual(shown)
    expect(waiting.getByRole('link', { name: more })).toHaveAttribute('href', '/library/notices')
  })
})

describe('what the reader has', () => {
  it('R-LOAN-4: is on the home with the days left, and a press extends a book once, also when it is pressed twice', async () => {
    storedRole.set('student')
    const loans = [
      loan(1, { returnDate: '2026-11-26' }),
      loan(2, { returnDate: '2026-11-19', overdueDays: 2, fine: 10 }),
    ]
    const made = fakeServer({
      'GET /auth/session': sessionOf(student),
      'GET /config': { body: config },
      'GET /books': bookPage([book(7)]),
      'GET /me/loans': () => ({ body: { loans, today: '2026-11-21', totalFine: 10 } }),
      'POST /loans/1/extend': () => {
        loans[0] = loan(1, { returnDate: '2026-12-03' })
        return { body: { ...loans[0], droppedFine: 0 } }
      },
    })
    renderApp('/student-home')
    await userEvent.click(await screen.findByRole('button', { name: /^Show slide 3/ }))
    const own = await screen.findByRole('list', { name: 'Your books' })
    expect(own).toHaveTextContent('In 5 days')
    expect(own).toHaveTextContent('2 days overdue')
    // The fine must be settled at the desk first (R-LOAN-6).
    expect(within(own).queryByRole('button', { name: 'Extend: Book 2' })).not.toBeInTheDocument()
    await userEvent.dblClick(within(own).getByRole('button', { name: 'Extend: Book 1' }))
    expect(await screen.findByText(/^“Book 1” is now yours until 3 Dec 2026/)).toBeVisible()
    await waitFor(() => expect(own).toHaveTextContent('In 12 days'))
    expect(made.filter(({ method }) => method === 'POST')).toHaveLength(1)
  })

  it('R-LOAN-4: a loan that the rules keep from being extended has no button for it', async () => {
    storedRole.set('student')
    const limit = { code: 'block.renewLimit', facts: { used: 1, max: 1 }, id: 'renew.limit', overridable: true }
    const loans = [loan(1), loan(2, { refusals: [{ ...limit, text: 'Extended once already.' }] })]
    fakeServer({
      'GET /auth/session': sessionOf(student),
      'GET /config': { body: config },
      'GET /books': bookPage([book(7)]),
      'GET /me/loans': { body: { loans, today: '2026-11-21', totalFine: 0 } },
    })
    renderApp('/student-home')
    await userEvent.click(await screen.findByRole('button', { name: /^Show slide 3/ }))
    expect(await screen.findByRole('button', { name: 'Extend: Book 1' })).toBeVisible()
    expect(screen.queryByRole('button', { name: 'Extend: Book 2' })).toBeNull()
  })

  it('R-FAIL-1: an extension that the library refuses says why', async () => {
    storedRole.set('student')
    fakeServer({
      'GET /auth/session': sessionOf(student),
      'GET /config': { body: config },
      'GET /books': bookPage([book(7)]),
      'GET /me/loans': { body: { loans: [loan(1)], today: '2026-11-21', totalFine: 0 } },
      'POST /loans/1/extend': problem(409, 'refused', { detail: 'Another reader is waiting for this book.' }),
    })
    renderApp('/student-home')
    await userEvent.click(await screen.findByRole('button', { name: /^Show slide 3/ }))
    await userEvent.click(await screen.findByRole('button', { name: 'Extend: Book 1' }))
    expect(await screen.findByText(/^The book could not be extended\./)).toBeVisible()
  })
})

describe('without a network', () => {
  it('N24: the catalogue says that it needs one and comes back by itself, and no loan can be extended', async () => {
    storedRole.set('student')
    const online = vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false)
    fakeServer({
      'GET /auth/session': sessionOf(student),
      'GET /config': { body: config },
      'GET /me/loans': { body: { loans: [loan(1)], today: '2026-11-21', totalFine: 0 } },
      'GET /books': () => (navigator.onLine ? bookPage([book(7)]) : Response.error()),
    })
    renderApp('/student-home')
    fireEvent(window, new Event('offline'))
    const list = within(await screen.findByRole('region', { name: 'Books' }))
    expect(await list.findByText(/^The catalogue needs a connection/)).toBeVisible()
    await userEvent.click(screen.getByRole('button', { name: /^Show slide 3/ }))
    const extend = await screen.findByRole('button', { name: 'Extend: Book 1' })
    expect(extend).toBeDisabled()
    expect(extend).toHaveAccessibleDescription('You can extend books again once you are online.')

    online.mockReturnValue(true)
    fireEvent(window, new Event('online'))
    expect(await screen.findByRole('link', { name: 'Book 7' })).toBeVisible()
    expect(extend).toBeEnabled()
  })
})

describe('carousel', () => {
  const slides = [
    { name: 'one', interval: 1000, content: 'First' },
    { name: 'two', interval: 500, content: 'Second' },
    { name: 'three', interval: 5000, content: 'Third' },
  ]
  const show = () =>
    render(
      <MantineProvider env="test">
        <Carousel label="Highlights" slides={slides} />
      </MantineProvider>,
    )
  const current = () => document.querySelector('[aria-roledescription=slide]:not([inert])')?.textContent
  function pass(ms: number) {
    act(() => {
      vi.advanceTimersByTime(ms)
    })
  }

  beforeEach(() => {
    sessionStorage.clear()
    vi.useFakeTimers()
  })
  afterEach(() => vi.useRealTimers())

  it('R-STU-1: three slides stand for 1000, 500 and 5000 ms', () => {
    show()
    expect(current()).toBe('First')
    pass(999)
    expect(current()).toBe('First')
    pass(1)
    expect(current()).toBe('Second')
    pass(500)
    expect(current()).toBe('Third')
    pass(4999)
    expect(current()).toBe('Third')
    pass(1)
    expect(current()).toBe('First')
  })

  it('N24: after a round they rest on the last slide, and play again when asked', () => {
    show()
    // Second by second, because each slide starts its own timer.
    for (let second = 0; second < 60; second += 1) pass(1000)
    expect(current()).toBe('Third')
    fireEvent.click(screen.getByRole('button', { name: 'Play the slides' }))
    expect(current()).toBe('First')
    pass(1000)
    pass(500)
    expect(current()).toBe('Third')
  })

  it('R-STU-4: it can be paused and played, and waits while the pointer is on it', () => {
    show()
    fireEvent.click(screen.getByRole('button', { name: 'Pause the slides' }))
    pass(60_000)
    expect(current()).toBe('First')
    fireEvent.click(screen.getByRole('button', { name: 'Play the slides' }))
    pass(1000)
    expect(current()).toBe('Second')
    fireEvent.mouseEnter(screen.getByRole('region', { name: 'Highlights' }))
    pass(60_000)
    expect(current()).toBe('Second')
  })

  it('W21: a pause outlives a search, which takes the slides away', () => {
    const { unmount } = show()
    fireEvent.click(screen.getByRole('button', { name: 'Pause the slides' }))
    unmount()
    show()
    pass(60_000)
    expect(current()).toBe('First')
  })

  it('W11: a slide is made when it is shown or next, so that its pictures are not fetched for nothing', () => {
    show()
    expect(screen.queryByText('Third')).not.toBeInTheDocument()
    pass(1000)
    expect(screen.getByText('Third')).toBeInTheDocument()
  })

  it('R-STU-4: it stands still under prefers-reduced-motion', () => {
    const asked = window.matchMedia
    vi.spyOn(window, 'matchMedia').mockImplementation((query) =>
      Object.assign(asked(query), { matches: query.includes('reduced-motion') }),
    )
    show()
    pass(60_000)
    expect(current()).toBe('First')
    fireEvent.click(screen.getByRole('button', { name: /Show slide 3/ }))
    expect(current()).toBe('Third')
  })
})
