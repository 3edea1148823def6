import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it } from 'vitest'
import type { MailChoices } from '../../api/types'
import { renderApp } from '../../testing/render'
import { config, sessionOf, student } from '../../testing/samples'
import { fakeServer } from '../../testing/server'

const choices: MailChoices = {
  on: true,
  address: 'student@library.test',
  confirmed: true,
  phone: null,
  offered: ['hold-ready', 'overdue', 'paid'],
  language: null,
  refused: ['overdue'],
  canWait: ['paid'],
  toGuardian: false,
  inDigest: ['due-soon', 'due-today', 'overdue'],
  weekly: false,
}

function open(hasMail: boolean, found: MailChoices, ...newer: readonly MailChoices[]) {
  let saved = found
  const later = [...newer]
  const made = fakeServer({
    'GET /auth/session': { body: { ...sessionOf(student).body, mail: hasMail } },
    'GET /config': { body: config },
    'GET /me': { body: student },
    'GET /me/loans': { body: { loans: [], today: '2026-11-21', totalFine: 0 } },
    'GET /me/mail-choices': () => {
      const body = saved
      saved = later.shift() ?? saved
      return { body }
    },
    'POST /me/address-link': { status: 204 },
    'PUT /me/mail-choices': async (request: Request) => {
      saved = { ...saved, ...(await request.json()) }
      return { body: saved }
    },
  })
  renderApp('/profile')
  return made
}

beforeEach(() => sessionStorage.clear())

describe('choices about mail', () => {
  const ways = (of: HTMLElement) =>
    within(of)
      .getAllByRole('option')
      .map(({ textContent }) => textContent)

  it('offers the kinds that the library mails with the ways of each, and saves each choice', async () => {
    const made = open(true, choices)
    const overdue = await screen.findByLabelText('A book is overdue')
    expect(overdue).toHaveDisplayValue('Not by mail')
    expect(ways(overdue)).toEqual(['In the summary', 'Not by mail'])
    const ready = screen.getByLabelText('A reserved book is ready')
    expect(ready).toHaveDisplayValue('At once')
    expect(ways(ready)).toEqual(['At once', 'Not by mail'])
    expect(screen.queryByLabelText('A book is due soon')).toBeNull()
    await userEvent.selectOptions(overdue, 'In the summary')
    expect(overdue).toHaveDisplayValue('In the summary')
    await waitFor(() => expect(made.some(({ method }) => method === 'PUT')).toBe(true))
    const sent = made.find(({ method }) => method === 'PUT')
    const inDigest = ['due-soon', 'due-today', 'overdue']
    expect(await sent?.json()).toEqual({ language: null, refused: [], inDigest, weekly: false })
  })

  it('puts a receipt into the summary, and keeps that for a kind that is turned off', async () => {
    const made = open(true, choices)
    const paid = await screen.findByLabelText('Receipt of a payment')
    expect(ways(paid)).toEqual(['At once', 'In the summary', 'Not by mail'])
    await userEvent.selectOptions(paid, 'In the summary')
    await userEvent.selectOptions(paid, 'Not by mail')
    await waitFor(() => expect(made.filter(({ method }) => method === 'PUT')).toHaveLength(2))
    const sent = await Promise.all(made.filter(({ method }) => method === 'PUT').map((put) => put.json()))
    expect(sent[0]).toMatchObject({ refused: ['overdue'], inDigest: [...choices.inDigest, 'paid'] })
    expect(sent[1]).toMatchObject({ refused: ['overdue', 'paid'], inDigest: [...choices.inDigest, 'paid'] })
  })

  it('keeps what another tab refused meanwhile, and the focus for the next arrow key', async () => {
    const made = open(true, choices, { ...choices, refused: ['overdue', 'hold-ready'] })
    const paid = await screen.findByLabelText('Receipt of a payment')
    paid.focus()
    await userEvent.selectOptions(paid, 'In the summary')
    await userEvent.selectOptions(paid, 'Not by mail')
    expect(paid).toHaveFocus()
    expect(paid).toHaveDisplayValue('Not by mail')
    await waitFor(() => expect(made.filter(({ method }) => method === 'PUT')).toHaveLength(2))
    const last = made.findLast(({ method }) => method === 'PUT')
    expect(await last?.json()).toMatchObject({ refused: ['overdue', 'hold-ready', 'paid'] })
    await waitFor(() => expect(screen.getByLabelText('A reserved book is ready')).toHaveDisplayValue('Not by mail'))
  })

  it('offers reminders once a week', async () => {
    const made = open(true, choices)
    await userEvent.selectOptions(await screen.findByLabelText('The summary comes'), 'Once a week, on Monday')
    await waitFor(() => expect(made.some(({ method }) => method === 'PUT')).toBe(true))
    const sent = made.find(({ method }) => method === 'PUT')
    expect(await sent?.json()).toMatchObject({ language: null, refused: ['overdue'], weekly: true })
  })

  it('are not shown while the library sends no mail', async () => {
    const made = open(false, choices)
    expect(await screen.findByText('You have no borrowed books.')).toBeVisible()
    expect(made.some(({ url }) => url.includes('mail-choices'))).toBe(false)
    expect(screen.queryByText('Mails from the library')).toBeNull()
  })

  it('ask to confirm an address that the reader entered, and send a new link', async () => {
    const made = open(true, { ...choices, confirmed: false })
    expect(await screen.findByText(/Confirm your address student@library.test/)).toBeVisible()
    await userEvent.click(screen.getByRole('button', { name: 'Send a new link' }))
    expect(await screen.findByText(/A new link is on its way/)).toBeVisible()
    expect(made.filter(({ url }) => url.endsWith('/me/address-link'))).toHaveLength(1)
  })

  it('name the phone that gets text messages without an address', async () => {
    open(true, { ...choices, address: null, phone: '+91 98450 12345' })
    expect(await screen.findByText(/Text messages go to \+91 98450 12345/)).toBeVisible()
    expect(screen.getByLabelText('A reserved book is ready')).toHaveDisplayValue('At once')
  })

  it('say where an address is missing', async () => {
    open(true, { ...choices, address: null })
    expect(await screen.findByText(/does not know your email address/)).toBeVisible()
  })
})
