import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it, vi } from 'vitest'
import type { Change } from '../../api/types'
import { queryClient } from '../../api/queryClient'
import { keys } from '../../api/keys'
import { renderApp } from '../../testing/render'
import { config, librarian, sessionOf } from '../../testing/samples'
import { fakeServer, problem } from '../../testing/server'

const change: Change = {
  id: 1,
  at: '2026-11-21T09:00:00Z',
  action: 'signed-in',
  actor: { id: librarian.uid, name: librarian.name },
  person: null,
  book: null,
  copy: null,
  change: {},
  messages: [{ code: 'change.signed-in', params: {}, text: 'Signed in.' }],
  forgotten: false,
  undone: false,
  undoable: false,
  text: 'Signed in.',
}
const session = { 'GET /auth/session': sessionOf(librarian), 'GET /config': { body: config } }
const broken = problem(500, 'internal')

it('what came before stays when more of it cannot be loaded, and that is said where it was asked for', async () => {
  vi.spyOn(console, 'error').mockReturnValue()
  fakeServer({
    ...session,
    'GET /changes': ({ url }) =>
      new URL(url).searchParams.has('cursor') ? broken : { body: { changes: [change], next: 'more' } },
  })
  renderApp('/activity')
  await userEvent.click(await screen.findByRole('button', { name: 'Show earlier entries' }))
  const alert = await screen.findByText(/The rest of the list could not be loaded/)
  expect(alert).toBeVisible()
  expect(screen.getAllByRole('alert')).toHaveLength(1)
  expect(within(screen.getByRole('main')).getByText('Meera Iyer')).toBeVisible()
  const button = screen.getByRole('button', { name: 'Show earlier entries' })
  expect(alert.compareDocumentPosition(button)).toBe(Node.DOCUMENT_POSITION_FOLLOWING)
})

it('a list that could not be read again stays and says so, as all lists do', async () => {
  vi.spyOn(console, 'error').mockReturnValue()
  let failing = false
  fakeServer({
    ...session,
    'GET /changes': () => (failing ? broken : { body: { changes: [change], next: null } }),
  })
  renderApp('/activity')
  const row = await within(await screen.findByRole('main')).findByText('Meera Iyer')
  failing = true
  void queryClient.invalidateQueries({ queryKey: keys.changes })
  expect(await screen.findByText(/The list may be out of date/)).toBeVisible()
  expect(row).toBeVisible()
})

it('R-UNDO-1: an undo after its day names the ordinary way, with a link', async () => {
  const paid: Change = {
    ...change,
    action: 'paid',
    person: { id: 5, name: 'Asha Rao' },
    messages: [{ code: 'change.paid', params: { amount: 20, method: 'cash', receipt: '1' }, text: '₹20 paid.' }],
    undoable: true,
  }
  const facts = {
    instead: {
      code: 'instead.reversePayment',
      params: {},
      text: 'Cancel the payment on the person’s account.',
    },
  }
  const text = 'Only what was done today can be undone. Cancel the payment on the person’s account.'
  const block = { id: 'undo.day', code: 'block.undoDay', facts, text, overridable: false }
  fakeServer({
    ...session,
    'GET /changes': { body: { changes: [paid], next: null } },
    'POST /changes/1/undo': problem(409, 'refused', { blocks: [block] }),
  })
  renderApp('/activity')
  await userEvent.click(await screen.findByRole('button', { name: /^Undo/ }))
  expect(await screen.findByRole('alert')).toHaveTextContent(text)
  expect(screen.getByRole('link', { name: 'Open Asha Rao' })).toHaveAttribute('href', '/library/people/5')
  expect(screen.queryByRole('button', { name: /^Undo/ })).toBeNull()
})
