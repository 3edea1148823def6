import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { MyLoan } from '../../api/types'
import { renderApp } from '../../testing/render'
import { config, loan, sessionOf, student } from '../../testing/samples'
import { fakeServer, type Handlers, problem, wrong } from '../../testing/server'

const fined = loan(1, { EntryDate: '2026-11-11', returnDate: '2026-11-18', fine: 15, overdueDays: 3 })

function server(loans: MyLoan[], more: Handlers = {}) {
  return fakeServer({
    'GET /auth/session': sessionOf(student),
    'GET /config': { body: config },
    'GET /me': { body: student },
    'GET /me/loans': () => ({
      body: { loans, today: '2026-11-21', totalFine: loans.reduce((sum, one) => sum + one.fine, 0) },
    }),
    ...more,
  })
}

const edit = async () => userEvent.click(await screen.findByRole('button', { name: 'Edit Profile' }))

beforeEach(() => sessionStorage.clear())

describe('profile', () => {
  it('R-PROF-1: name, roll number, department and total fine', async () => {
    server([fined, loan(2, { fine: 5, overdueDays: 1 })])
    renderApp('/profile')
    expect(await screen.findByText('₹20')).toBeVisible()
    for (const text of [student.name, 'cs2026-001', 'Computer Science']) {
      expect(within(screen.getByRole('main')).getByText(text)).toBeVisible()
    }
  })

  it('a loan and a reservation show the cover of their book beside its title', async () => {
    const hold = {
      id: 4,
      bookId: 9,
      title: 'Emma',
      state: 'waiting' as const,
      place: 1,
      waiting: 1,
      placedAt: '2026-11-20T08:00:00Z',
      readyUntil: null,
      barcode: null,
      backBy: null,
      copyId: null,
      fillable: true,
      rollNumber: null,
      userId: student.uid,
      userName: student.name,
    }
    window.innerWidth = 1440
    server([loan(7)], { 'GET /me/holds': { body: { holds: [hold], ended: [] } } })
    renderApp('/profile')
    for (const [title, id] of [
      ['Book 7', 7],
      ['Emma', 9],
    ] as const) {
      const row = (await screen.findByRole('link', { name: title })).closest('tr')
      expect(row?.querySelector('img')).toHaveAttribute('src', `/library/covers/${id}.svg`)
    }
  })

  it('R-PROF-1: the roll number is lower-cased where the caret stands, and saved with the rest', async () => {
    const made = server([], { 'PATCH /me': { body: { ...student, rollNumber: 'abcs2026-001' } } })
    renderApp('/profile')
    await edit()
    const roll = screen.getByLabelText<HTMLInputElement>('Roll number')
    await userEvent.type(roll, 'AB', { initialSelectionStart: 0, initialSelectionEnd: 0 })
    expect(roll).toHaveValue('abcs2026-001')
    expect(roll.selectionStart).toBe(2)
    await userEvent.click(screen.getByRole('button', { name: 'Update' }))
    expect(await screen.findByText('abcs2026-001')).toBeVisible()
    expect(screen.getByRole('button', { name: 'Edit Profile' })).toHaveFocus()
    const sent = made.find((request) => request.method === 'PATCH')
    expect(await sent?.json()).toEqual({ ...pick(student), rollNumber: 'abcs2026-001' })
    expect(sessionStorage).toHaveLength(0)
  })

  it('R-FAIL-1: a roll number that is taken is said under its field, logged, and nothing typed is lost', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const message = 'An account with this roll number already exists. Check the number on your ID card.'
    const errors = [wrong('rollNumber', 'problem.roll-number-taken')]
    server([], { 'PATCH /me': problem(409, 'roll-number-taken', { errors }) })
    renderApp('/profile')
    await edit()
    const roll = screen.getByLabelText('Roll number')
    await userEvent.clear(roll)
    await userEvent.type(roll, 'me-7')
    await userEvent.click(screen.getByRole('button', { name: 'Update' }))
    expect(await screen.findByText(message)).toBeVisible()
    expect(roll).toHaveAccessibleDescription(expect.stringContaining(message))
    expect(roll).toHaveValue('me-7')
    expect(logged).toHaveBeenCalled()
  })

  it('R-PROF-1: Cancel leaves everything as it was, also after a reload in the middle', async () => {
    const made = server([])
    const first = renderApp('/profile')
    await edit()
    await userEvent.type(screen.getByLabelText('Full name'), ' the Second')
    first.unmount()
    renderApp('/profile')
    expect(await screen.findByLabelText('Full name')).toHaveValue('Asha Rao the Second')
    await userEvent.click(screen.getByRole('button', { name: 'Cancel' }))
    expect(await within(screen.getByRole('main')).findByText('Asha Rao')).toBeVisible()
    expect(made.some((request) => request.method === 'PATCH')).toBe(false)
  })
})

describe('borrowed books', () => {
  it('R-LOAN-6: while a fine is due, Return and Extend of that loan are disabled and say why', async () => {
    server([fined, loan(2)])
    renderApp('/profile')
    await screen.findByRole('table', { name: 'Borrowed books' })
    for (const action of ['Return', 'Extend 7 Days']) {
      const blocked = screen.getByRole('button', { name: `${action}: Book 1` })
      expect(blocked).toBeDisabled()
      expect(blocked).toHaveAccessibleDescription(/library desk to settle the fine of ₹15/)
      expect(screen.getByRole('button', { name: `${action}: Book 2` })).toBeEnabled()
    }
    expect(screen.getByRole('row', { name: /Book 1/ })).toHaveTextContent('3 days overdue, ₹15')
  })

  it('R-RULE-1: where the desk returns or extends, it says so in place of the button', async () => {
    server([loan(2)], { 'GET /config': { body: { ...config, selfReturn: false } } })
    renderApp('/profile')
    expect(await screen.findByText('Return it at the library desk.')).toBeVisible()
    expect(screen.queryByRole('button', { name: 'Return: Book 2' })).not.toBeInTheDocument()
    expect(screen.getByRole('button', { name: 'Extend 7 Days: Book 2' })).toBeEnabled()
  })

  it('R-LOAN-4: a loan that cannot be extended says why before the press, and can still be returned', async () => {
    const waiting = { code: 'block.renewWaiting', facts: { waiting: 1 }, id: 'renew.waiting', overridable: true }
    server([loan(2, { refusals: [{ ...waiting, text: 'Another reader waits for it.' }] })])
    renderApp('/profile')
    const extend = await screen.findByRole('button', { name: 'Extend 7 Days: Book 2' })
    expect(extend).toBeDisabled()
    expect(extend).toHaveAccessibleDescription(/wait/)
    expect(screen.getByRole('button', { name: 'Return: Book 2' })).toBeEnabled()
  })

  it('N24: without a network, Return and Extend are disabled and say why, until there is one', async () => {
    const online = vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false)
    server([loan(2)])
    renderApp('/profile')
    for (const action of ['Return', 'Extend 7 Days']) {
      const button = await screen.findByRole('button', { name: `${action}: Book 2` })
      expect(button).toBeDisabled()
      expect(button).toHaveAccessibleDescription('These buttons work again once you are online.')
    }
    online.mockRestore()
    fireEvent(window, new Event('online'))
    expect(screen.getByRole('button', { name: 'Return: Book 2' })).toBeEnabled()
    expect(screen.queryByText('These buttons work again once you are online.')).not.toBeInTheDocument()
  })

  it('R-LOAN-7: Return asks first and says that it is done; then there is a way to the books', async () => {
    const loans = [loan(2)]
    server(loans, {
      'POST /loans/2/return': () => {
        loans.pop()
        return { body: { state: 'on-shelf', hold: null, waiting: 0, onShelf: 1 } }
      },
    })
    renderApp('/profile')
    await userEvent.click(await screen.findByRole('button', { name: 'Return: Book 2' }))
    const question = await screen.findByRole('dialog')
    expect(question).toHaveTextContent('“Book 2”')
    await userEvent.click(within(question).getByRole('button', { name: 'Return' }))
    expect(await screen.findByText(/^Book returned successfully\./)).toBeVisible()
    expect(screen.getByText('You have no borrowed books.')).toBeVisible()
    expect(screen.getByRole('link', { name: 'Find a book' })).toHaveAttribute('href', '/library/student-home')
    await waitFor(() => expect(screen.getByRole('heading', { name: 'Borrowed Books' })).toHaveFocus())
  })
})

function pick({ name, rollNumber, department }: typeof student) {
  return { name, rollNumber, department }
}
