import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { genresOf } from '../../../scripts/messages.mjs'
import demo from '../../../../src/demo/catalogue.json'
import { chooseLanguage } from '../../lib/messages'
import { storedRole } from '../../lib/storage'
import { renderApp } from '../../testing/render'
import { book, bookDetail, bookPage, config, librarian, sessionOf, student } from '../../testing/samples'
import { fakeServer } from '../../testing/server'
import COMMON_GENRES from './edit/genres.json'

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
