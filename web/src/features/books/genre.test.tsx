import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { genresOf } from '../../../scripts/messages.mjs'
import demo from '../../../../src/demo/catalogue.json'
import { chooseLanguage } from '../../lib/messages'
import { storedRole } from '../../lib/storage'
import { renderApp } from '../../testing/render'
import { book, bookDetail, bookPage, config, librarian, sessionOf, student } from '../../testing/samples'
import { fakeServer, problem } from '../../testing/server'
import COMMON_GENRES from './edit/genres.json'
import { genreTyped } from './grid/genreTyped'

const box = () => within(screen.getByRole('combobox', { name: /^(Genre|विधा)$/ }))
const offered = () =>
  box()
    .getAllByRole('option')
    .map((option) => option.textContent)

beforeEach(() => storedRole.set('student'))
afterEach(async () => chooseLanguage('en'))

describe('a genre', () => {
  const server = () =>
    fakeServer({
      'GET /auth/session': sessionOf(student),
      'GET /config': { body: config },
      'GET /books': bookPage([
        book(7, { title: 'गोदान', genre: 'Hindi Literature' }),
        book(8, { title: 'Emma', genre: 'Regency' }),
      ]),
      'GET /books/7': { body: bookDetail(7, { genre: 'Hindi Literature' }) },
      'GET /genres': {
        body: {
          genres: [
            { genre: 'Anthropology', books: 3 },
            { genre: 'Hindi Literature', books: 2 },
            { genre: 'Poetry', books: 9 },
            { genre: 'Regency', books: 1 },
          ],
        },
      },
    })

  it('has its Hindi name on cards and in the filter, sorted by it; one without a name is shown as it is', async () => {
    window.innerWidth = 1440
    await chooseLanguage('hi')
    server()
    renderApp('/student-home')
    expect(await screen.findByText('हिन्दी साहित्य')).toBeVisible()
    expect(screen.getByText('Regency')).toBeVisible()
    await waitFor(() =>
      expect(offered()).toEqual(['सभी विधाएँ', 'कविता (9)', 'मानवशास्त्र (3)', 'हिन्दी साहित्य (2)', 'Regency (1)']),
    )
  })

  it('is searched by its English name in either language', async () => {
    window.innerWidth = 1440
    await chooseLanguage('hi')
    const made = server()
    const { router } = renderApp('/student-home')
    await screen.findByText('हिन्दी साहित्य (2)')
    await userEvent.selectOptions(screen.getByRole('combobox', { name: 'विधा' }), 'हिन्दी साहित्य (2)')
    await waitFor(() => expect(made.some(({ url }) => url.includes('genre=Hindi%20Literature'))).toBe(true))
    expect(new URLSearchParams(router.state.location.search).get('genre')).toBe('Hindi Literature')
  })

  it('has its Hindi name on the page of a book', async () => {
    await chooseLanguage('hi')
    server()
    renderApp('/stubook-detail/7')
    expect(await screen.findByText('हिन्दी साहित्य')).toBeVisible()
  })

  it('is suggested to a librarian by its Hindi name too, and stored by its English one', async () => {
    storedRole.set('admin')
    await chooseLanguage('hi')
    fakeServer({
      'GET /auth/session': sessionOf(librarian),
      'GET /config': { body: config },
      'GET /books': bookPage([]),
    })
    renderApp('/add')
    const genre = await screen.findByRole('combobox', { name: /विधा/ })
    const suggestion = document.getElementById(genre.getAttribute('list')!)!.querySelector('[value="Poetry"]')
    expect(suggestion).toHaveTextContent('कविता')
  })

  it('of the demo catalogue or of the form has a name in Hindi', () => {
    const names = genresOf('hi')
    const genres = [...COMMON_GENRES, ...demo.books.map(({ genre }) => genre)]
    expect(genres.filter((genre) => !(`genre.${genre.toLowerCase()}` in names))).toEqual([])
    expect(Object.values(names).filter((name) => /[A-Za-z]/.test(name))).toEqual([])
  })
})

describe('a genre typed into the search box', () => {
  const genres = [
    { genre: 'Ancient History', books: 90 },
    { genre: 'Computer Science', books: 7 },
    { genre: 'Historical Fiction', books: 5 },
    { genre: 'History', books: 4 },
    { genre: 'Mathematics', books: 12 },
    { genre: 'Science-Fiction & Fantasy', books: 6 },
  ]

  it.each([
    ['maths', 'Mathematics'],
    ['mathematics', 'Mathematics'],
    ['MATH', 'Mathematics'],
    ['history', 'History'],
    ['histo', 'Historical Fiction'],
    ['ancient', 'Ancient History'],
    ['science', 'Science-Fiction & Fantasy'],
    ['fantasy', 'Science-Fiction & Fantasy'],
    ['sci-fi', 'Science-Fiction & Fantasy'],
    ['Comp Sci', 'Computer Science'],
    ['computer sc', 'Computer Science'],
    ['hi', undefined],
    ['tory', undefined],
    ['history of india', undefined],
    ['गणित', undefined],
  ])('is found by a whole name first, then by the start of a name, then by another word: %s', (typed, genre) => {
    expect(genreTyped(typed, genres)?.genre).toBe(genre)
  })

  it.each(['गणित', 'mathematics', 'maths'])(
    'is found by its Hindi and its English name on a Hindi page: %s',
    async (q) => {
      await chooseLanguage('hi')
      expect(genreTyped(q, genres)?.genre).toBe('Mathematics')
    },
  )

  it('appears together with the books of the search, and a press shows the genre instead of the search', async () => {
    window.innerWidth = 390
    let send = () => undefined as void
    const made = fakeServer({
      'GET /auth/session': sessionOf(student),
      'GET /config': { body: config },
      'GET /books': ({ url }) => bookPage([book(new URL(url).searchParams.has('genre') ? 9 : 8)]),
      'GET /genres': () => new Promise((answer) => (send = () => answer({ body: { genres } }))),
    })
    const { router } = renderApp('/student-home?q=maths&available=yes')
    await waitFor(() => expect(made.some(({ url }) => url.includes('q=maths'))).toBe(true))
    await waitFor(() => expect(made.some(({ url }) => url.endsWith('/genres'))).toBe(true))
    expect(screen.queryByRole('link', { name: 'Book 8' })).not.toBeInTheDocument()
    send()
    expect(await screen.findByRole('link', { name: 'Book 8' })).toBeVisible()
    await userEvent.click(screen.getByRole('link', { name: 'Genre: Mathematics (12 books)' }))
    expect(await screen.findByRole('link', { name: 'Book 9' })).toBeVisible()
    expect(router.state.location.search).toBe('?available=yes&genre=Mathematics')
    expect(screen.getByRole('searchbox')).toHaveValue('')
    expect(screen.queryByRole('link', { name: /^Genre:/ })).not.toBeInTheDocument()
  })

  it('does not delay the books when the genres cannot be fetched', async () => {
    fakeServer({
      'GET /auth/session': sessionOf(student),
      'GET /config': { body: config },
      'GET /books': bookPage([book(8)]),
      'GET /genres': problem(500, 'internal'),
    })
    renderApp('/student-home?q=maths')
    expect(await screen.findByRole('link', { name: 'Book 8' })).toBeVisible()
  })
})
