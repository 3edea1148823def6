import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { AdminLoan } from '../../api/types'
import { renderApp } from '../../testing/render'
import { config, librarian, loan as ownLoan, sessionOf } from '../../testing/samples'
import { fakeServer, type Handlers, problem, wrong } from '../../testing/server'

function loan(id: number, more: Partial<AdminLoan> = {}): AdminLoan {
  const dates = { EntryDate: '2026-11-14', returnDate: '2026-11-21' }
  const reader = { reminded: null, userId: id, userName: `Reader ${id}`, rollNumber: `cs-${id}`, batch: '2027' }
  return { ...ownLoan(id, dates), ...reader, ...more }
}

let open: AdminLoan[]
let broken: boolean
let perPage: number
/** Id of the loan whose title is deleted. */
let deleted: number | null

/** Fake server whose loans really end. */
function desk() {
  const handlers: Handlers = {
    'GET /auth/session': sessionOf(librarian),
    'GET /config': { body: config },
    'GET /loans': (request) => {
      const q = new URL(request.url).searchParams.get('q') ?? ''
      const loans = open.filter((one) => `${one.userName} ${one.rollNumber} ${one.batch}`.includes(q))
      const start = Number(new URL(request.url).searchParams.get('cursor') ?? 0)
      const page = loans.slice(start, start + perPage)
      const next = start + perPage < loans.length ? String(start + perPage) : null
      const previous = start > 0 ? String(start - perPage) : null
      return {
        body: {
          loans: page,
          total: loans.length,
          fines: 15,
          open: loans.length,
          today: '2026-11-21',
          overdue: 1,
          dueToday: 0,
          dueThisWeek: 0,
          next,
          previous,
        },
      }
    },
    'POST /loans/1/extend': () => {
      const moved = loan(1, { returnDate: '2026-11-28' })
      open = open.map((one) => (one.id === 1 ? moved : one))
      return { body: { ...moved, droppedFine: 15 } }
    },
  }
  handlers['POST /loans/1/due-date'] = async (request) => {
    const { returnDate } = (await request.clone().json()) as { returnDate: string }
    if (returnDate < '2026-11-21') {
      const told = wrong('returnDate', 'dayPast', { label: 'Return date', today: '2026-11-21' })
      return problem(422, 'invalid', { errors: [told] })
    }
    const moved = loan(1, { returnDate })
    open = open.map((one) => (one.id === 1 ? moved : one))
    return { body: moved }
  }
  for (const { id } of open) {
    handlers[`POST /loans/${id}/return` as const] = async (request) => {
      if (broken) return problem(503, 'busy')
      open = open.filter((one) => one.id !== id)
      const { restock } = (await request.clone().json()) as { restock?: boolean }
      // Copies of a deleted title are withdrawn.
      const state = id === deleted ? 'withdrawn' : restock ? 'on-shelf' : 'to-shelve'
      return { body: { state, hold: null, waiting: 0, onShelf: 3 } }
    }
  }
  return fakeServer(handlers)
}

const button = (action: string, id: number) =>
  screen.findByRole('button', { name: `${action}: Book ${id}, Reader ${id}` })

/** Returns a link above the table that turns the page. */
const turn = (name: string) => within(screen.getByRole('navigation', { name: 'Pages' })).getByRole('link', { name })

async function answer(name: string) {
  const question = await screen.findByRole('dialog')
  await userEvent.click(within(question).getByRole('button', { name }))
  return question
}

beforeEach(() => {
  broken = false
  perPage = 50
  deleted = null
  open = [loan(1, { fine: 15, overdueDays: 3, returnDate: '2026-11-18', EntryDate: '2026-11-11' }), loan(2), loan(3)]
})

describe('All Borrowed Books', () => {
  it('L9: asks Why? only where a fine stands or a rule moved the day; a plain day explains itself on hover', async () => {
    const plain = { code: 'explain.due', params: { days: 7, from: '2026-11-14' }, text: '7 days from 14 Nov 2026' }
    const moved = { code: 'unknown', params: {}, text: 'Moved to the next open day' }
    open = [
      loan(1, { fine: 15, overdueDays: 3, reasons: [plain] }),
      loan(2, { reasons: [plain, moved] }),
      loan(3, { reasons: [plain] }),
    ]
    desk()
    renderApp('/fine')
    for (const name of ['Reader 1', 'Reader 2']) {
      const row = await screen.findByRole('row', { name: new RegExp(name) })
      expect(within(row).getByText('Why?')).toBeInTheDocument()
    }
    const row = screen.getByRole('row', { name: /Reader 3/ })
    expect(within(row).queryByText('Why?')).toBeNull()
    expect(within(row).getByTitle(/^7 days from/)).toBeInTheDocument()
  })

  it('R-FINE-1: shows who has which book, since when, until when, and what is owed', async () => {
    desk()
    renderApp('/fine')
    const row = await screen.findByRole('row', { name: /Reader 1/ })
    for (const text of ['cs-1', '2027', 'Book 1', '11 Nov 2026', '18 Nov 2026', '3 days overdue', '₹15']) {
      expect(row).toHaveTextContent(text)
    }
    expect(screen.getAllByRole('columnheader').map((head) => head.textContent)).toEqual([
      'Name',
      'Roll number',
      'Batch',
      'Book',
      'Entry date',
      'Return date',
      'Fine',
      'Actions',
    ])
    expect(screen.getByText(/^3 loans\b/)).toBeVisible()
  })

  it('prints a slip that asks for the books that are due, and names the others with their day', async () => {
    open = [
      loan(1, { userId: 1, userName: 'Asha', returnDate: '2026-11-18' }),
      loan(2, { userId: 1, userName: 'Asha', returnDate: '2026-11-28' }),
    ]
    desk()
    renderApp('/fine')
    await userEvent.click(await screen.findByRole('button', { name: 'Print by class' }))
    const sheet = within(await screen.findByRole('dialog'))
    await userEvent.selectOptions(await sheet.findByLabelText('Print as'), 'slips')
    const [due, later] = sheet.getAllByRole('list')
    expect(due?.previousSibling).toHaveTextContent('Please bring back this book:')
    expect(due).toHaveTextContent('Book 1')
    expect(later?.previousSibling).toHaveTextContent('Not due yet:')
    expect(later).toHaveTextContent(/Book 2.*Due 28 Nov 2026/)
  })

  it('R-LOAN-3: Return names book, borrower and fine, says where the copy goes, and goes on in the next row', async () => {
    const made = desk()
    renderApp('/fine')
    await userEvent.click(await button('Return', 1))
    const question = await screen.findByRole('dialog')
    expect(question).toHaveTextContent('“Book 1”, borrowed by Reader 1 (cs-1). Fine to collect: ₹15')
    expect(question).toHaveTextContent('The number of available copies stays as it is.')
    expect(within(question).getByRole('link', { name: 'To shelve' })).toHaveAttribute('href', '/library/to-shelve')
    expect(within(question).getByRole('button', { name: 'Return' })).toHaveFocus()
    await answer('Return')
    expect(
      await screen.findByText('Book returned successfully. The copy of “Book 1” waits to be shelved.'),
    ).toBeVisible()
    expect(screen.queryByRole('row', { name: /Reader 1/ })).toBeNull()
    const sent = made.find((request) => request.url.endsWith('/loans/1/return'))
    expect(await sent?.json()).toEqual({})
    const next = await button('Return', 2)
    await waitFor(() => expect(next).toHaveFocus())
  })

  it('R-LOAN-3: Return and restock tells the server to put the copy back', async () => {
    const made = desk()
    renderApp('/fine')
    await userEvent.click(await button('Return and restock', 2))
    await answer('Return and restock')
    expect(await screen.findByText('Book returned successfully. 3 copies of “Book 2” on the shelf.')).toBeVisible()
    const sent = made.find((request) => request.url.endsWith('/loans/2/return'))
    expect(await sent?.json()).toEqual({ restock: true })
  })

  it('U2: the question offers both answers, and the keyboard goes on at the button that asked', async () => {
    const made = desk()
    renderApp('/fine')
    await userEvent.click(await button('Return and restock', 1))
    await answer('Return')
    expect(
      await screen.findByText('Book returned successfully. The copy of “Book 1” waits to be shelved.'),
    ).toBeVisible()
    const sent = made.find((request) => request.url.endsWith('/loans/1/return'))
    expect(await sent?.json()).toEqual({})
    const next = await button('Return and restock', 2)
    await waitFor(() => expect(next).toHaveFocus())
  })

  it('U2, A4: a book whose title is gone is returned all the same, and it is said that its copy is withdrawn', async () => {
    deleted = 3
    open = [loan(3, { titleDeleted: true })]
    desk()
    renderApp('/fine')
    await userEvent.click(await button('Return', 3))
    expect(screen.queryByRole('button', { name: /^Return and restock/ })).not.toBeInTheDocument()
    const question = await answer('Return')
    expect(question).toHaveTextContent('Its title was deleted from the catalogue')
    expect(question).not.toHaveTextContent('one more is available')
    expect(await screen.findByText(/^“Book 3” is returned. Its title was deleted/)).toBeVisible()
  })

  it('R-LOAN-4: Extend 7 Days moves the date and keeps the place', async () => {
    desk()
    renderApp('/fine')
    await userEvent.click(await button('Extend 7 Days', 1))
    expect(
      await screen.findByText(
        /^Return date extended successfully\. The new date for “Book 1” is .* The fine of ₹15 is dropped\.$/,
      ),
    ).toBeVisible()
    expect(screen.getByRole('row', { name: /Reader 1/ })).toHaveTextContent('28 Nov 2026')
    const same = await button('Extend 7 Days', 1)
    await waitFor(() => expect(same).toHaveFocus())
  })

  it('R-FAIL-1: a return that fails is logged and said, and the row is as before', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    broken = true
    desk()
    renderApp('/fine')
    await userEvent.click(await button('Return', 2))
    await answer('Return')
    expect(
      await screen.findByText(
        'The book could not be returned. The library is very busy. Nothing was changed; please try again in a moment.',
      ),
    ).toBeVisible()
    expect(logged).toHaveBeenCalled()
    expect(await button('Return', 2)).toBeEnabled()
  })

  it('W29: Next turns the page, the keyboard goes on in its rows, and Previous leads back', async () => {
    perPage = 2
    desk()
    const { router } = renderApp('/fine')
    await screen.findByRole('row', { name: /Reader 1/ })
    await userEvent.click(turn('Next'))
    const third = await button('Return and restock', 3)
    await waitFor(() => expect(third).toHaveFocus())
    expect(router.state.location.search).toBe('?cursor=2')
    expect(screen.queryByRole('row', { name: /Reader 1/ })).toBeNull()
    expect(screen.getByText(/^3 loans\b/)).toBeVisible()
    await userEvent.click(turn('Previous'))
    const first = await button('Return and restock', 1)
    await waitFor(() => expect(first).toHaveFocus())
    expect(screen.queryByRole('row', { name: /Reader 3/ })).toBeNull()
  })

  it('W29: the last row of the second page returned leads to the first page', async () => {
    perPage = 2
    desk()
    const { router } = renderApp('/fine?cursor=2')
    await userEvent.click(await button('Return and restock', 3))
    await answer('Return and restock')
    expect(await screen.findByRole('row', { name: /Reader 1/ })).toBeVisible()
    expect(router.state.location.search).toBe('')
    expect(screen.getByText(/^2 loans\b/)).toBeVisible()
    expect(screen.queryByRole('navigation', { name: 'Pages' })).toBeNull()
  })

  it('R-FINE-2: Enter in the search leads to the actions of the first row that matches', async () => {
    desk()
    const { router } = renderApp('/fine?cursor=somewhere')
    await screen.findByRole('row', { name: /Reader 1/ })
    await userEvent.type(screen.getByRole('searchbox'), 'cs-3{Enter}')
    const first = await button('Return and restock', 3)
    await waitFor(() => expect(first).toHaveFocus())
    expect(router.state.location.search).toBe('?q=cs-3')
    expect(screen.getByText(/^1 loan matches\b/)).toBeVisible()
  })

  it('R-LOAN-4: a due date is set by hand with a reason, and a day before today is named where it was typed', async () => {
    const requests = desk()
    renderApp('/fine')
    await userEvent.click(await screen.findByRole('button', { name: 'Set the due date of Book 1 for Reader 1' }))
    const dialog = within(await screen.findByRole('dialog'))
    expect(dialog.getByText('The fine of ₹15 will be dropped.')).toBeVisible()
    const day = dialog.getByLabelText('New due date')
    await userEvent.click(dialog.getByRole('button', { name: 'Set the due date' }))
    expect(dialog.getByText(/is required/)).toBeVisible()
    await userEvent.type(dialog.getByRole('textbox', { name: /^Reason/ }), 'In hospital')
    await userEvent.click(dialog.getByRole('button', { name: 'Set the due date' }))
    expect(await dialog.findByText(/may not be before today/)).toBeVisible()
    expect(dialog.getByRole('textbox', { name: /^Reason/ })).toHaveValue('In hospital')
    await userEvent.clear(day)
    await userEvent.type(day, '2026-12-20')
    await userEvent.click(dialog.getByRole('button', { name: 'Set the due date' }))
    expect(await screen.findByText('Book 1 is now due 20 Dec 2026.')).toBeVisible()
    const sent = requests.findLast(({ url }) => url.endsWith('/loans/1/due-date'))
    expect(await sent?.json()).toEqual({ returnDate: '2026-12-20', reason: 'In hospital' })
  })
})
