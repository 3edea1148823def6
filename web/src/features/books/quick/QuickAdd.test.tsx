import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { FoundBook } from '../../../api/types'
import { renderApp } from '../../../testing/render'
import { book, bookDetail, bookPage, config, librarian, sessionOf } from '../../../testing/samples'
import { fakeServer, problem, wrong, type Handlers } from '../../../testing/server'

const ISBN = '9780141439518'

const FOUND: FoundBook = {
  title: '',
  author: '',
  genre: '',
  description: '',
  publisher: '',
  edition: '',
  publishedYear: null,
  language: null,
  callNumber: '',
  photoURL: '',
}

const server = (more: Handlers = {}) =>
  fakeServer({
    'GET /auth/session': sessionOf(librarian),
    'GET /books': bookPage([]),
    'GET /accessions': { body: { books: [book(3, { title: 'To describe' })], total: 12, next: null } },
    'POST /accessions': { status: 201, body: bookDetail(9, { title: 'Emma', copies: 2 }), headers: { ETag: '"1"' } },
    ...more,
  })

const field = (label: RegExp | string) => screen.getByRole<HTMLInputElement>('textbox', { name: label })
const sent = (made: Request[]) =>
  Promise.all(
    made.filter(({ method }) => method === 'POST').map(async (one) => [new URL(one.url).pathname, await one.json()]),
  )

/** Pastes each text into the focused field and presses Enter; keys typed without a pause would count as a scan. */
async function enter(...texts: string[]) {
  for (const text of texts) {
    if (text !== '') await userEvent.paste(text)
    await userEvent.keyboard('{Enter}')
  }
}

beforeEach(() => {
  sessionStorage.clear()
  window.innerWidth = 1440
})

describe('Quick add', () => {
  it('R-BOOK-5: adds a book by the keyboard alone and keeps the shelf for the next one', async () => {
    const made = server()
    renderApp('/quick-add')
    await waitFor(() => expect(field('ISBN')).toHaveFocus())
    await enter('978-0-14-143951-8')
    expect(field('Title')).toHaveFocus()
    await enter('Emma', 'Jane Austen', 'K2', 'Q1', 'Q2', '')
    expect(await screen.findByText('Emma added with 2 copies.')).toBeVisible()
    await waitFor(() => expect(field('ISBN')).toHaveFocus())
    expect(field('Title')).toHaveValue('')
    expect(field('Location')).toHaveValue('K2')
    expect(await sent(made)).toEqual([
      [
        '/library/api/v1/accessions',
        {
          isbn: '978-0-14-143951-8',
          title: 'Emma',
          author: 'Jane Austen',
          location: 'K2',
          price: null,
          barcodes: ['Q1', 'Q2'],
          count: null,
        },
      ],
    ])
    expect(screen.getByRole('heading', { name: 'No description (12)' })).toBeVisible()
    expect(screen.getByRole('link', { name: 'To describe' })).toHaveAttribute('href', '/library/update/3')
  })

  it('fills title and author from another catalogue, and drops them with a corrected ISBN', async () => {
    const found = { ...FOUND, title: 'Emma', author: 'Jane Austen', publisher: 'Penguin', publishedYear: 2003 }
    const made = server({
      'GET /config': { body: { ...config, isbnLookUp: true } },
      [`GET /isbn-look-ups/${ISBN}`]: { body: { isbn: ISBN, found, source: 'Open Library', silent: [] } },
      'GET /isbn-look-ups/9780747532699': {
        body: { isbn: '9780747532699', found: null, source: null, silent: ['Open Library'] },
      },
    })
    renderApp('/quick-add')
    await waitFor(() => expect(field('ISBN')).toHaveFocus())
    await userEvent.paste('9780747532699')
    expect(await screen.findByText(/Open Library did not answer/)).toBeVisible()
    expect(screen.getByRole('button', { name: 'Look up again' })).toBeVisible()
    await userEvent.clear(field('ISBN'))
    await userEvent.paste(ISBN)
    await waitFor(() => expect(field('Title')).toHaveValue('Emma'))
    expect(screen.getByText('From Open Library: Title, Author. Check before you save.')).toBeVisible()
    expect(screen.getByText('Saved with the book: Penguin · 2003')).toBeVisible()
    // What the librarian typed stays; what was filled for another book does not.
    await userEvent.clear(field('Title'))
    await userEvent.type(field('Title'), 'Emma, illustrated')
    await userEvent.clear(field('ISBN'))
    await userEvent.paste('9780747532699')
    await waitFor(() => expect(field('Author')).toHaveValue(''))
    expect(field('Title')).toHaveValue('Emma, illustrated')
    await userEvent.clear(field('ISBN'))
    await userEvent.paste(ISBN)
    await waitFor(() => expect(field('Author')).toHaveValue('Jane Austen'))
    await userEvent.click(screen.getByRole('button', { name: 'Save, next book' }))
    expect(await screen.findByText(/added with/)).toBeVisible()
    const [[, body]] = (await sent(made)) as [[string, object]]
    expect(body).toMatchObject({
      title: 'Emma, illustrated',
      author: 'Jane Austen',
      publisher: 'Penguin',
      publishedYear: 2003,
    })
    expect(field('Title')).toHaveValue('')
  })

  it('R-BOOK-5: says that a title is here already and adds copies to it', async () => {
    const there = { title: 'Emma', isbn: ISBN, noOfBooks: 1, copies: 3 }
    const made = server({
      'GET /books': bookPage([book(7, there)]),
      'GET /books/7': { body: bookDetail(7, there), headers: { ETag: '"1"' } },
      'POST /books/7/copies': { status: 201, body: { copies: [] } },
    })
    renderApp('/quick-add')
    await waitFor(() => expect(field('ISBN')).toHaveFocus())
    await enter('0141439513')
    expect(await screen.findByText(/is already here: 3 copies, 1 on the shelf/)).toBeVisible()
    await waitFor(() => expect(field(/Barcodes/)).toHaveFocus())
    expect(screen.queryByRole('textbox', { name: 'Title' })).not.toBeInTheDocument()
    await userEvent.keyboard('{Enter}')
    await waitFor(async () =>
      expect(await sent(made)).toEqual([['/library/api/v1/books/7/copies', { barcodes: [], count: 1 }]]),
    )
  })

  it('R-BOOK-5: names a wrong ISBN before anything is sent, and a taken barcode keeps what was typed', async () => {
    const made = server({
      'POST /accessions': problem(422, 'invalid', {
        errors: [wrong('barcodes[0]', 'barcodeTaken', { barcode: 'Q1' }, 'Q1 is the barcode of another copy.')],
      }),
    })
    renderApp('/quick-add')
    await waitFor(() => expect(field('ISBN')).toHaveFocus())
    await enter('9780141439519')
    expect(screen.getByText(/its check digit does not fit/)).toBeVisible()
    expect(field('ISBN')).toHaveFocus()
    await userEvent.clear(field('ISBN'))
    await enter('', 'Emma', '', '', 'Q1', '')
    expect(await screen.findByText(/Q1 is the barcode of another copy/)).toBeVisible()
    expect(field('Title')).toHaveValue('Emma')
    expect(await sent(made)).toHaveLength(1)
  })

  it('R-SCAN-9: a burst of a scanner goes to the right field, wherever the focus is', async () => {
    server()
    renderApp('/quick-add')
    await waitFor(() => expect(field('ISBN')).toHaveFocus())
    const scanner = userEvent.setup({ delay: null })
    // On a busy machine the keys would be spaced like a person's, so the times are mocked.
    let at = 0
    vi.spyOn(Event.prototype, 'timeStamp', 'get').mockImplementation(() => (at += 1))
    await scanner.keyboard('L000123{Enter}')
    expect(field('ISBN')).toHaveValue('')
    expect(screen.getByText('L000123')).toBeVisible()
    await userEvent.click(field('Author'))
    await scanner.keyboard(`${ISBN}{Enter}`)
    expect(field('Author')).toHaveValue('')
    expect(field('ISBN')).toHaveValue(ISBN)
    expect(field('Title')).toHaveFocus()
  })
})
