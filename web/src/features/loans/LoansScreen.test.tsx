import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { AdminLoan } from '../../api/types'
import { renderApp } from '../../testing/render'
import { config, librarian } from '../../testing/samples'
import { fakeServer, problem } from '../../testing/server'

function loan(id: number, more: Partial<AdminLoan> = {}): AdminLoan {
  return {
    id,
    userId: id,
    bookId: id,
    title: `Book ${id}`,
    EntryDate: '2026-11-14',
    returnDate: '2026-11-21',
    fine: 0,
    overdueDays: 0,
    copyId: id,
    barcode: `L${id}`,
    renewals: 0,
    explain: [],
    reasons: [],
    userName: `Reader ${id}`,
    rollNumber: `cs-${id}`,
    batch: '2027',
    ...more,
  }
}

let open: AdminLoan[]
let broken: boolean

/** A desk that really ends loans. */
function desk() {
  return fakeServer({
    'GET /auth/session': { body: { user: librarian } },
    'GET /config': { body: config },
    'GET /loans': (request) => {
      const q = new URL(request.url).searchParams.get('q') ?? ''
      const loans = open.filter((one) => `${one.userName} ${one.rollNumber} ${one.batch}`.includes(q))
      return { body: { loans, total: loans.length, today: '2026-11-21', next: null, previous: null } }
    },
    ...Object.fromEntries(
      open.map(({ id }) => [
        `POST /loans/${id}/return`,
        () => {
          if (broken)
            return problem(503, 'busy', 'The library is very busy. Nothing was changed; please try again in a moment.')
          open = open.filter((one) => one.id !== id)
          return {}
        },
      ]),
    ),
    'POST /loans/1/extend': () => {
      const moved = loan(1, { returnDate: '2026-11-28' })
      open = open.map((one) => (one.id === 1 ? moved : one))
      return { body: moved }
    },
  })
}

const button = (action: string, id: number) =>
  screen.findByRole('button', { name: `${action}: Book ${id}, Reader ${id}` })

async function answer(name: string) {
  const question = await screen.findByRole('dialog')
  await userEvent.click(within(question).getByRole('button', { name }))
  return question
}

beforeEach(() => {
  broken = false
  open = [loan(1, { fine: 15, overdueDays: 3, returnDate: '2026-11-18', EntryDate: '2026-11-11' }), loan(2), loan(3)]
})

describe('All Borrowed Books', () => {
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
    expect(screen.getByText('3 loans')).toBeVisible()
  })

  it('R-LOAN-3: Return names book, borrower and fine, says that no copy is restored, and goes on in the next row', async () => {
    const made = desk()
    renderApp('/fine')
    await userEvent.click(await button('Return', 1))
    const question = await screen.findByRole('dialog')
    expect(question).toHaveTextContent('“Book 1”, borrowed by Reader 1 (cs-1). Fine to collect: ₹15')
    expect(question).toHaveTextContent('The number of available copies stays as it is.')
    await answer('Return')
    expect(await screen.findByText('Book returned successfully.')).toBeVisible()
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
    expect(await screen.findByText('Book returned successfully.')).toBeVisible()
    const sent = made.find((request) => request.url.endsWith('/loans/2/return'))
    expect(await sent?.json()).toEqual({ restock: true })
  })

  it('R-LOAN-4: Extend 7 Days moves the date and keeps the place', async () => {
    desk()
    renderApp('/fine')
    await userEvent.click(await button('Extend 7 Days', 1))
    expect(await screen.findByText('Return date extended successfully.')).toBeVisible()
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

  it('R-FINE-2: Enter in the search leads to the actions of the first row that matches', async () => {
    desk()
    const { router } = renderApp('/fine?cursor=somewhere')
    await screen.findByRole('row', { name: /Reader 1/ })
    await userEvent.type(screen.getByRole('searchbox'), 'cs-3{Enter}')
    const first = await button('Return', 3)
    await waitFor(() => expect(first).toHaveFocus())
    expect(router.state.location.search).toBe('?q=cs-3')
    expect(screen.getByText('1 loan matches')).toBeVisible()
  })
})
