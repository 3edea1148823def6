import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it } from 'vitest'
import { renderApp } from '../../../testing/render'
import { bookDetail, bookPage, librarian, sessionOf } from '../../../testing/samples'
import { fakeServer, type Handlers } from '../../../testing/server'

const server = (more: Handlers = {}) =>
  fakeServer({ 'GET /auth/session': sessionOf(librarian), 'GET /books': bookPage([]), ...more })

const LONG_ENOUGH = 'd'.repeat(200)

/** Finds a text field, with or without suggestions. */
const field = (label: string) => screen.getByLabelText<HTMLInputElement>(label, { selector: 'input, textarea' })

/** Pastes a text: typing would render the form for each key. */
async function paste(label: string, text: string) {
  await userEvent.clear(field(label))
  await userEvent.click(field(label))
  if (text !== '') await userEvent.paste(text)
}

async function fillIn(changes: Record<string, string> = {}) {
  await screen.findByRole('textbox', { name: 'Title' })
  const all = {
    Title: 'Emma',
    Author: 'Jane Austen',
    Genre: 'Novel',
    'Photo URL': 'https://covers.test/emma.jpg',
    Description: LONG_ENOUGH,
    Location: 'Shelf A',
    ...changes,
  }
  for (const [label, text] of Object.entries(all)) await paste(label, text)
  await userEvent.click(screen.getByRole('radio', { name: '4 stars' }))
}

const add = () => userEvent.click(screen.getByRole('button', { name: 'Add Book' }))
const writes = (made: Request[]) => made.filter(({ method }) => method === 'POST' || method === 'PUT')

beforeEach(() => {
  sessionStorage.clear()
  window.innerWidth = 1440
})

describe('what the form of a book refuses', () => {
  it('R-BOOK-2: each field that is missing is named where a screen reader reads it, and the first has the cursor', async () => {
    const made = server()
    renderApp('/add')
    await screen.findByRole('textbox', { name: 'Title' })
    await userEvent.clear(field('Number of books'))
    await add()
    for (const label of ['Title', 'Author', 'Genre', 'Photo URL', 'Description', 'Location']) {
      expect(field(label)).toHaveAccessibleDescription(new RegExp(`${label} is required.`))
    }
    expect(field('Number of books')).toHaveAccessibleDescription(/Number of books/)
    expect(screen.getByText('Rating is required.')).toBeVisible()
    await waitFor(() => expect(field('Title')).toHaveFocus())
    expect(writes(made)).toHaveLength(0)
  })

  it('R-BOOK-2: a description of 199 characters is one too short, as the counter says; with one more it is sent', async () => {
    const made = server({ 'POST /books': { status: 201, body: bookDetail(7), headers: { ETag: '"1"' } } })
    renderApp('/add')
    await fillIn({ Description: LONG_ENOUGH.slice(1) })
    expect(screen.getByText('At least 200 characters, 1 to go')).toBeVisible()
    await add()
    expect(screen.getByText('Description must be at least 200 characters.')).toBeVisible()
    await waitFor(() => expect(field('Description')).toHaveFocus())
    expect(writes(made)).toHaveLength(0)
    await userEvent.keyboard('d')
    await add()
    expect(await screen.findByText('Book added successfully!')).toBeVisible()
  })

  it('R-BOOK-2: the photo is a web address, and there is at least one book', async () => {
    const made = server()
    renderApp('/add')
    await fillIn({ 'Photo URL': 'cover.jpg', 'Number of books': '0' })
    await add()
    expect(screen.getByText(/Photo URL must be a web address/)).toBeVisible()
    expect(screen.getByText(/Number of books must be a whole number from 1/)).toBeVisible()
    await waitFor(() => expect(field('Photo URL')).toHaveFocus())
    expect(writes(made)).toHaveLength(0)
  })

  it('R-BOOK-2: the status is Available or Not Available', async () => {
    server()
    renderApp('/add')
    const status = await screen.findByRole<HTMLSelectElement>('combobox', { name: 'Status' })
    expect([...status.options].map(({ text }) => text)).toEqual(['Available', 'Not Available'])
  })

  it('R-BOOK-4: a double press adds one book', async () => {
    const made = server({ 'POST /books': { status: 201, body: bookDetail(7), headers: { ETag: '"1"' } } })
    renderApp('/add')
    await fillIn()
    await userEvent.dblClick(screen.getByRole('button', { name: 'Add Book' }))
    expect(await screen.findByText('Book added successfully!')).toBeVisible()
    expect(writes(made)).toHaveLength(1)
  })

  it('R-BOOK-2: the same rules hold for an update', async () => {
    const stored = bookDetail(7, { description: LONG_ENOUGH, photoURL: 'https://covers.test/emma.jpg' })
    const made = server({ 'GET /books/7': { body: stored, headers: { ETag: '"1"' } } })
    renderApp('/update/7')
    await waitFor(() => expect(field('Title')).toHaveValue('Book 7'))
    await paste('Title', '   ')
    await paste('Description', 'too short')
    await userEvent.click(screen.getByRole('button', { name: 'Update Book' }))
    expect(field('Title')).toHaveAccessibleDescription(/Title is required./)
    expect(screen.getByText('Description must be at least 200 characters.')).toBeVisible()
    expect(writes(made)).toHaveLength(0)
  })

  it.each(['/update/0', '/update/abc'])('R-BOOK-3: %s names no book and leads to the home page', async (address) => {
    server()
    const { router } = renderApp(address)
    await waitFor(() => expect(router.state.location.pathname).toBe('/library/home'))
  })
})
