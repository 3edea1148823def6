import { act, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { queryClient } from '../../../api/queryClient'
import type { BookDetail } from '../../../api/types'
import { renderApp } from '../../../testing/render'
import { bookDetail, bookPage, config, librarian, sessionOf } from '../../../testing/samples'
import { fakeServer, problem, wrong } from '../../../testing/server'

const session = { 'GET /auth/session': sessionOf(librarian), 'GET /books': bookPage([]) }
const description = 'A long description. '.repeat(12).trim()

const stored = (id: number, more: Partial<BookDetail> = {}) =>
  bookDetail(id, {
    title: 'Emma',
    author: 'Jane Austen',
    genre: 'Novel',
    photoURL: 'https://covers.test/emma.jpg',
    description,
    location: 'Shelf A',
    noOfBooks: 3,
    status: 'Available',
    ...more,
  })
const answer = (body: BookDetail, etag: string) => ({ body, headers: { ETag: etag } })

const field = (label: string) => screen.getByRole<HTMLInputElement>('textbox', { name: label })
/** Finds the hidden file input behind the button. */
async function fileInput() {
  await screen.findByRole('button', { name: 'Choose a picture…' })
  const input = document.querySelector<HTMLInputElement>('input[type="file"]')
  if (!input) throw new Error('no file can be chosen')
  return input
}

const suggested = (label: string) => screen.getByRole<HTMLInputElement>('combobox', { name: label })

/** Pastes a text: typing would render the form for each key. */
async function paste(input: HTMLElement, text: string) {
  await userEvent.click(input)
  await userEvent.paste(text)
}

async function fill(title = 'Emma') {
  await userEvent.type(await screen.findByRole('textbox', { name: 'Title' }), title)
  await paste(field('Author'), 'Jane Austen')
  await paste(suggested('Genre'), 'Novel')
  await paste(field('Photo URL'), 'https://covers.test/emma.jpg')
  await paste(field('Description'), description)
  await paste(suggested('Location'), 'Shelf A')
  await userEvent.click(screen.getByRole('radio', { name: '4 stars' }))
}

const bodies = (requests: Request[], method: string) =>
  Promise.all(
    requests.filter((request) => request.method === method).map((request) => request.json() as Promise<unknown>),
  )

beforeEach(() => {
  sessionStorage.clear()
  window.innerWidth = 1440
})

const ADDRESS = `http://localhost:8080/library/covers/${'0a'.repeat(16)}.jpg`

describe('a cover from a file', () => {
  it('R-BOOK-2: puts the address of the stored picture into the form, and takes it out again', async () => {
    fakeServer({ ...session, 'POST /covers': { body: { url: ADDRESS, bytes: 5000 } } })
    renderApp('/add')
    await userEvent.type(await screen.findByRole('textbox', { name: 'Title' }), 'Emma', { delay: null })
    const file = new File(['picture'], 'emma.png', { type: 'image/png' })
    await userEvent.upload(await fileInput(), file)
    await waitFor(() => expect(field('Photo URL')).toHaveValue(ADDRESS))
    expect(field('Title')).toHaveValue('Emma')
    await userEvent.click(screen.getByRole('button', { name: 'Remove the picture' }))
    expect(field('Photo URL')).toHaveValue('')
  })

  it('R-BOOK-2: says why a file is no picture, and keeps what was typed', async () => {
    fakeServer({
      ...session,
      'POST /covers': problem(422, 'invalid', {
        errors: [wrong('file', 'newReason', {}, 'This file is not a picture.')],
      }),
    })
    renderApp('/add')
    await userEvent.type(await screen.findByRole('textbox', { name: 'Title' }), 'Emma', { delay: null })
    const file = new File(['<svg/>'], 'emma.png', { type: 'image/png' })
    await userEvent.upload(await fileInput(), file)
    expect(await screen.findByRole('alert')).toHaveTextContent('This file is not a picture.')
    expect(field('Title')).toHaveValue('Emma')
    expect(field('Photo URL')).toHaveValue('')
  })
})

describe('the look-up of an ISBN', () => {
  const found = {
    title: 'Emma',
    author: 'Jane Austen',
    genre: '',
    description: '',
    publisher: 'Penguin',
    edition: '',
    publishedYear: 2003,
    language: 'en',
    callNumber: '',
    photoURL: '',
  }
  const ISBN = '9780141439518'
  const on = { ...session, 'GET /config': { body: { ...config, isbnLookUp: true } } }

  it('fills the blank fields, names their source, and keeps what was typed', async () => {
    fakeServer({
      ...on,
      [`GET /isbn-look-ups/${ISBN}`]: { body: { isbn: ISBN, found, source: 'union.mrc', silent: [] } },
    })
    renderApp('/add')
    await userEvent.click(await screen.findByRole('button', { name: 'Look up' }))
    expect(screen.getByText('ISBN is required.')).toBeVisible()
    await paste(field('Author'), 'J. Austen')
    await paste(field('ISBN'), '978-0-14-143951-8')
    await userEvent.keyboard('{Enter}')
    await waitFor(() => expect(field('Title')).toHaveValue('Emma'))
    expect(field('Author')).toHaveValue('J. Austen')
    expect(field('Year of publication')).toHaveValue('2003')
    expect(screen.getByText(/^From union\.mrc: Title, Publisher, Year of publication, Language\./)).toBeVisible()
  })

  it('says that the answer was lost and asks again', async () => {
    fakeServer({ ...on, [`GET /isbn-look-ups/${ISBN}`]: problem(500, 'internal') })
    renderApp('/add')
    await paste(await screen.findByRole('textbox', { name: 'ISBN' }), ISBN)
    await userEvent.keyboard('{Enter}')
    expect(await screen.findByText(/Something went wrong/)).toBeVisible()
    expect(field('ISBN')).toHaveValue(ISBN)
  })

  it('is not offered without a source', async () => {
    fakeServer(session)
    renderApp('/add')
    expect(await screen.findByRole('textbox', { name: 'ISBN' })).toBeVisible()
    expect(screen.queryByRole('button', { name: 'Look up' })).not.toBeInTheDocument()
  })
})

describe('Add New Book', () => {
  it('R-BOOK-2: names each field that is missing or too short, counts, and puts the cursor into the first', async () => {
    const requests = fakeServer(session)
    renderApp('/add')
    await userEvent.type(await screen.findByRole('textbox', { name: 'Title' }), 'Emma')
    await userEvent.type(field('Description'), 'Too short')
    expect(screen.getByText('At least 200 characters, 191 to go')).toBeVisible()
    await userEvent.click(screen.getByRole('button', { name: 'Add Book' }))

    for (const name of ['Author', 'Genre', 'Photo URL', 'Location', 'Rating']) {
      expect(screen.getByText(`${name} is required.`)).toBeVisible()
    }
    expect(screen.getByText('Description must be at least 200 characters.')).toBeVisible()
    await waitFor(() => expect(field('Author')).toHaveFocus())
    expect(requests.some(({ method }) => method === 'POST')).toBe(false)
  })

  it('R-BOOK-4: adds the book and is ready for the next one, with the first at hand', async () => {
    const requests = fakeServer({ ...session, 'POST /books': { status: 201, ...answer(stored(7), '"1-1-a"') } })
    renderApp('/add')
    await fill()
    await userEvent.keyboard('{Control>}{Enter}{/Control}')

    expect(await screen.findByText('Book added successfully!')).toBeVisible()
    expect(screen.getByRole('link', { name: 'Emma' })).toHaveAttribute('href', '/library/book-detail/7')
    await waitFor(() => expect(field('Title')).toHaveFocus())
    expect(field('Title')).toHaveValue('')
    expect(screen.getByRole('radio', { name: '4 stars' })).not.toBeChecked()
    expect(await bodies(requests, 'POST')).toEqual([
      {
        title: 'Emma',
        barcodes: [],
        author: 'Jane Austen',
        genre: 'Novel',
        photoURL: 'https://covers.test/emma.jpg',
        description,
        noOfBooks: 1,
        location: 'Shelf A',
        status: 'Available',
        rating: 4,
      },
    ])
    expect(Object.keys(sessionStorage)).toEqual([])
  })

  it('V11: the first words of the next title, typed while the answer is on its way, stay', async () => {
    let respond = (): void => undefined
    const answered = new Promise<void>((resolve) => {
      respond = resolve
    })
    fakeServer({
      ...session,
      'POST /books': async () => {
        await answered
        return { status: 201, ...answer(stored(7), '"1-1-a"') }
      },
    })
    renderApp('/add')
    await fill()
    await userEvent.click(screen.getByRole('button', { name: 'Add Book' }))
    await userEvent.clear(field('Title'))
    await userEvent.type(field('Title'), 'Persuasion')
    respond()
    expect(await screen.findByText('Book added successfully!')).toBeVisible()
    await waitFor(() => expect(field('Author')).toHaveValue(''))
    expect(field('Title')).toHaveValue('Persuasion')
  })

  it('R-BOOK-4, R-BOOK-5: a failure keeps what was typed, also over a reload, and the field that the server names', async () => {
    vi.spyOn(console, 'error').mockReturnValue()
    let refuse = problem(503, 'busy')
    fakeServer({ ...session, 'POST /books': () => refuse })
    const { unmount } = renderApp('/add')
    await fill()
    await userEvent.click(screen.getByRole('button', { name: 'Add Book' }))
    expect(await screen.findByText('Error adding book, please try again.')).toBeVisible()

    unmount()
    renderApp('/add')
    expect(await screen.findByText('We restored your unsaved changes.')).toBeVisible()
    expect(field('Author')).toHaveValue('Jane Austen')

    refuse = problem(422, 'invalid', { errors: [wrong('photoURL', 'leadsNowhere', {}, 'Photo URL leads nowhere.')] })
    await userEvent.click(screen.getByRole('button', { name: 'Add Book' }))
    expect(await screen.findByText('Photo URL leads nowhere.')).toBeVisible()
    await waitFor(() => expect(field('Photo URL')).toHaveFocus())
    expect(screen.queryByText('Error adding book, please try again.')).not.toBeInTheDocument()

    await userEvent.click(screen.getByRole('button', { name: 'Start with an empty form' }))
    expect(field('Author')).toHaveValue('')
    expect(Object.keys(sessionStorage)).toEqual([])
  })

  it('asks before it is left with something typed, and keeps that', async () => {
    fakeServer(session)
    const { router } = renderApp('/add')
    await userEvent.type(await screen.findByRole('textbox', { name: 'Title' }), 'Emma')
    await userEvent.click(screen.getByRole('link', { name: 'Delete' }))
    await userEvent.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Keep editing' }))
    expect(router.state.location.pathname).toBe('/library/add')
    expect(field('Title')).toHaveValue('Emma')

    await userEvent.click(screen.getByRole('link', { name: 'Delete' }))
    await userEvent.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Leave' }))
    await screen.findByRole('heading', { name: 'Delete Books' })
    await router.navigate('/add')
    expect(await screen.findByRole('textbox', { name: 'Title' })).toHaveValue('Emma')
  })

  it('R-DETAIL-3: the status follows the number over zero and back, and can be set by hand', async () => {
    fakeServer(session)
    renderApp('/add')
    const number = await screen.findByRole('textbox', { name: 'Number of books' })
    await userEvent.clear(number)
    expect(screen.getByRole('combobox', { name: 'Status' })).toHaveValue('Available')
    await userEvent.type(number, '0')
    expect(screen.getByRole('combobox', { name: 'Status' })).toHaveValue('Not Available')
    await userEvent.clear(number)
    await userEvent.type(number, '12')
    expect(screen.getByRole('combobox', { name: 'Status' })).toHaveValue('Available')
    await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Status' }), 'Not Available')
    await userEvent.type(number, '3')
    expect(screen.getByRole('combobox', { name: 'Status' })).toHaveValue('Not Available')
  })
})

describe('what the form says while it is filled in', () => {
  it('U8: there is already such a book: copies can be added to it instead', async () => {
    fakeServer({ ...session, 'GET /books': bookPage([stored(8, { title: 'Emma!' }), stored(7)]) })
    renderApp('/add')
    await paste(await screen.findByRole('textbox', { name: 'Title' }), 'EMMA')
    await paste(field('Author'), 'jane austen')
    expect(await screen.findByText(/There is already “Emma!?” by Jane Austen/)).toBeVisible()
    expect(screen.getByRole('link', { name: 'Add copies instead?' })).toHaveAttribute('href', '/library/update/8')
  })

  it('U12: the generated cover is drawn by the server with the words that are typed', async () => {
    fakeServer(session)
    renderApp('/add')
    await userEvent.click(await screen.findByRole('textbox', { name: 'Title' }))
    await userEvent.paste('Emma & Co')
    await waitFor(() =>
      expect(screen.getByRole('img', { name: 'Cover as readers will see it' })).toHaveAttribute(
        'src',
        '/library/covers/preview.svg?id=0&title=Emma+%26+Co&author=&genre=',
      ),
    )
  })

  it('W10: the counter of the description is part of what a screen reader says of it', async () => {
    fakeServer(session)
    renderApp('/add')
    await screen.findByRole('textbox', { name: 'Title' })
    expect(field('Description')).toHaveAccessibleDescription(/At least 200 characters, 200 to go/)
    expect(Number(field('Description').getAttribute('maxlength'))).toBeGreaterThan(0)
  })

  it('W17: a session that ends leaves the draft to whoever typed it', async () => {
    fakeServer(session)
    renderApp('/add')
    await userEvent.click(await screen.findByRole('textbox', { name: 'Title' }))
    await userEvent.paste('Emma')
    await waitFor(() => expect(Object.keys(sessionStorage)).toEqual([`draft ${librarian.uid} book add`]))
    act(() => void queryClient.setQueryData(['session'], { user: null }))
    await userEvent.click(field('Author'))
    await userEvent.paste('Jane Austen')
    await waitFor(() => expect(sessionStorage.getItem(`draft ${librarian.uid} book add`)).toContain('Jane Austen'))
    expect(Object.keys(sessionStorage)).toHaveLength(1)
  })
})

describe('Update Book Details', () => {
  it('R-BOOK-2, R-BOOK-4: saves what was loaded with what was changed, names its version, leaves the rating alone', async () => {
    const requests = fakeServer({
      ...session,
      'GET /books/7': answer(stored(7), '"1-3-a"'),
      'PUT /books/7': answer(stored(7, { location: 'Shelf B' }), '"2-3-a"'),
    })
    const { router } = renderApp('/update/7')
    await waitFor(() => expect(suggested('Location')).toHaveValue('Shelf A'))
    expect(screen.queryByText('Rating')).not.toBeInTheDocument()
    await userEvent.clear(suggested('Location'))
    await userEvent.type(suggested('Location'), 'Shelf B')
    await userEvent.click(screen.getByRole('button', { name: 'Update Book' }))

    expect(await screen.findByText('Book updated successfully!')).toBeVisible()
    await waitFor(() => expect(router.state.location.pathname).toBe('/library/book-detail/7'))
    const saved = requests.find(({ method }) => method === 'PUT')
    expect(saved?.headers.get('If-Match')).toBe('"1-3-a"')
    const { title, author, genre, photoURL, noOfBooks, status } = stored(7)
    expect(await bodies(requests, 'PUT')).toEqual([
      {
        title,
        author,
        genre,
        photoURL,
        description,
        noOfBooks,
        location: 'Shelf B',
        status,
        isbn: null,
        publisher: null,
        edition: null,
        publishedYear: null,
        language: null,
        callNumber: null,
        price: null,
      },
    ])
  })

  it('R-BOOK-5: a wrong ISBN is named before it is sent, and the imprint is saved as it was typed', async () => {
    const requests = fakeServer({
      ...session,
      'GET /books/7': answer(stored(7, { isbn: '9780141439518', publisher: 'Penguin', price: 250 }), '"1-3-a"'),
      'PUT /books/7': answer(stored(7), '"2-3-a"'),
    })
    renderApp('/update/7')
    await waitFor(() => expect(field('Price of a copy')).toHaveValue('250'))
    await userEvent.clear(field('ISBN'))
    await paste(field('ISBN'), '978-0-14-143951-9')
    await userEvent.click(screen.getByRole('button', { name: 'Update Book' }))
    expect(await screen.findByText(/978-0-14-143951-9 is not an ISBN/)).toBeVisible()
    await userEvent.clear(field('ISBN'))
    await paste(field('ISBN'), '978-0-7475-3269-9')
    await paste(field('Year of publication'), '1815')
    await userEvent.clear(field('Price of a copy'))
    await userEvent.click(screen.getByRole('button', { name: 'Update Book' }))
    await waitFor(async () =>
      expect(await bodies(requests, 'PUT')).toMatchObject([
        { isbn: '978-0-7475-3269-9', publisher: 'Penguin', publishedYear: 1815, price: null },
      ]),
    )
  })

  it('R-BOOK-4: a failure says so and keeps the edit', async () => {
    vi.spyOn(console, 'error').mockReturnValue()
    fakeServer({
      ...session,
      'GET /books/7': answer(stored(7), '"1-3-a"'),
      'PUT /books/7': problem(500, 'internal'),
    })
    renderApp('/update/7')
    await userEvent.type(await screen.findByRole('textbox', { name: 'Title' }), '!')
    await userEvent.click(screen.getByRole('button', { name: 'Update Book' }))
    expect(await screen.findByText('Error updating book, please try again.')).toBeVisible()
    expect(field('Title')).toHaveValue('Emma!')
  })

  it('R-BOOK-7: shows what somebody else saved beside the own edit and saves what is chosen', async () => {
    const theirs = stored(7, { author: 'J. Austen', location: 'Basement', genre: 'Classic' })
    let now = answer(stored(7), '"1-3-a"')
    const requests = fakeServer({
      ...session,
      'GET /books/7': () => now,
      'PUT /books/7': (request) =>
        request.headers.get('If-Match') === '"2-3-a"' ? answer(theirs, '"3-3-a"') : problem(412, 'stale'),
    })
    renderApp('/update/7')
    await userEvent.type(await screen.findByRole('textbox', { name: 'Author' }), ' (1775)')
    await userEvent.type(suggested('Location'), ' 9')
    now = answer(theirs, '"2-3-a"')
    await userEvent.click(screen.getByRole('button', { name: 'Update Book' }))

    const heading = await screen.findByRole('heading', { name: 'This book was saved elsewhere while you were editing' })
    expect(heading).toHaveFocus()
    // Fields changed only by the other librarian take the saved values; fields changed by both keep this librarian's.
    expect(suggested('Genre')).toHaveValue('Classic')
    expect(suggested('Location')).toHaveValue('Shelf A 9')
    await userEvent.click(screen.getByRole('radio', { name: /Basement$/ }))
    expect(suggested('Location')).toHaveValue('Basement')
    await userEvent.click(screen.getByRole('button', { name: 'Save again' }))

    expect(await screen.findByText('Book updated successfully!')).toBeVisible()
    expect((await bodies(requests, 'PUT')).at(-1)).toMatchObject({
      author: 'Jane Austen (1775)',
      location: 'Basement',
      genre: 'Classic',
    })
  })

  it('W21: Save again with fields that are wrong leads to the first of them', async () => {
    let now = answer(stored(7), '"1-3-a"')
    const requests = fakeServer({ ...session, 'GET /books/7': () => now, 'PUT /books/7': problem(412, 'stale') })
    renderApp('/update/7')
    await userEvent.type(await screen.findByRole('textbox', { name: 'Title' }), '!')
    now = answer(stored(7, { genre: 'Classic' }), '"2-3-a"')
    await userEvent.click(screen.getByRole('button', { name: 'Update Book' }))
    const again = await screen.findByRole('button', { name: 'Save again' })
    await userEvent.clear(suggested('Location'))
    await userEvent.clear(field('Author'))
    await userEvent.click(again)
    await waitFor(() => expect(field('Author')).toHaveFocus())
    expect(field('Author')).toHaveAccessibleDescription(expect.stringContaining('Author is required.'))
    expect(requests.filter(({ method }) => method === 'PUT')).toHaveLength(1)
  })

  it('R-BOOK-8: a number that is 0 because every copy is lent may stay 0', async () => {
    const lent = stored(7, { noOfBooks: 0, status: 'Not Available' })
    const requests = fakeServer({
      ...session,
      'GET /books/7': answer(lent, '"1-0-n"'),
      'PUT /books/7': answer(lent, '"2-0-n"'),
    })
    renderApp('/update/7')
    await userEvent.type(await screen.findByRole('textbox', { name: 'Title' }), '!')
    await userEvent.click(screen.getByRole('button', { name: 'Update Book' }))
    expect(await screen.findByText('Book updated successfully!')).toBeVisible()
    expect(await bodies(requests, 'PUT')).toMatchObject([{ noOfBooks: 0 }])
  })

  it('R-BOOK-8: copies lent meanwhile are shown beside the number that was typed', async () => {
    let now = answer(stored(7), '"1-3-a"')
    const requests = fakeServer({
      ...session,
      'GET /books/7': () => now,
      'PUT /books/7': (request) =>
        request.headers.get('If-Match') === '"1-1-a"'
          ? answer(stored(7, { noOfBooks: 1 }), '"2-1-a"')
          : problem(422, 'invalid', { errors: [wrong('noOfBooks', 'tooFewOnShelf', { copies: 1 })] }),
    })
    renderApp('/update/7')
    const number = await screen.findByRole('textbox', { name: 'Number of books' })
    await userEvent.clear(number)
    await userEvent.type(number, '2')
    now = answer(stored(7, { noOfBooks: 1 }), '"1-1-a"')
    await userEvent.click(screen.getByRole('button', { name: 'Update Book' }))
    await screen.findByRole('heading', { name: 'Copies of this book were borrowed while you were editing' })
    await userEvent.click(screen.getByRole('button', { name: 'Save again' }))
    expect(await screen.findByText('Book updated successfully!')).toBeVisible()
    expect((await bodies(requests, 'PUT')).at(-1)).toMatchObject({ noOfBooks: 2 })
  })

  it.each(['/update/404', '/update/none'])('R-BOOK-3: %s is missing and leads to the home page', async (address) => {
    fakeServer(session)
    const { router } = renderApp(address)
    await waitFor(() => expect(router.state.location.pathname).toBe('/library/home'))
    expect(await screen.findByText('This book is not in the catalogue.')).toBeVisible()
  })
})

describe('All Books and Delete Books', () => {
  const shelf = { ...session, 'GET /books': bookPage([stored(7), stored(8, { title: 'Persuasion' })]) }

  it('R-BOOK-1: /books has an Update link per book and searches title and author', async () => {
    const requests = fakeServer(shelf)
    renderApp('/books?q=austen')
    expect(await screen.findByRole('link', { name: 'Update Persuasion' })).toHaveAttribute('href', '/library/update/8')
    const list = requests.find(({ url }) => url.includes('/books?'))
    expect(new URL(list?.url ?? '').searchParams.get('field')).toBe('any')
  })

  it('R-BOOK-1, R-BOOK-6: /delete searches titles, asks with the name of the book, and says when it fails', async () => {
    vi.spyOn(console, 'error').mockReturnValue()
    const requests = fakeServer({
      ...shelf,
      'DELETE /books/8': problem(503, 'busy'),
    })
    renderApp('/delete')
    await userEvent.click(await screen.findByRole('button', { name: 'Delete Persuasion' }))
    const dialog = within(await screen.findByRole('dialog'))
    expect(dialog.getByText('Persuasion')).toBeVisible()
    await userEvent.click(dialog.getByRole('button', { name: 'Delete' }))
    expect(await screen.findByText('Error deleting book, please try again.')).toBeVisible()
    const list = requests.find(({ url }) => url.includes('/books?'))
    expect(new URL(list?.url ?? '').searchParams.get('field')).toBe('title')
  })
})
