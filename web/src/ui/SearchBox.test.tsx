import { act, fireEvent, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'
import { renderApp } from '../testing/render'
import { bookPage, librarian, sessionOf } from '../testing/samples'
import { fakeServer } from '../testing/server'

/** List of loans without any. */
const EMPTY = {
  loans: [],
  today: '2026-11-21',
  total: 0,
  open: 0,
  overdue: 0,
  dueToday: 0,
  dueThisWeek: 0,
  fines: 0,
  next: null,
  previous: null,
}

describe('search of a list', () => {
  it('the address holds what is typed as soon as the box is left, so that nothing is written after a click on a link', async () => {
    fakeServer({ 'GET /auth/session': sessionOf(librarian), 'GET /books': bookPage([]) })
    const { router } = renderApp('/home')
    await userEvent.type(await screen.findByRole('searchbox'), 'ada')
    screen.getByRole('searchbox').blur()
    const written = router.state.navigation.location ?? router.state.location
    expect(written.search).toBe('?q=ada')
    await waitFor(() => expect(router.state.location.search).toBe('?q=ada'))
  })

  it('an order chosen before the search is drawn keeps the search', async () => {
    fakeServer({
      'GET /auth/session': sessionOf(librarian),
      'GET /loans': { body: EMPTY },
    })
    const { router } = renderApp('/fine')
    const order = await screen.findByRole('combobox', { name: 'Order' })
    const box = screen.getByRole('searchbox')
    await userEvent.type(box, 'ada')
    await act(async () => {
      fireEvent.keyDown(box, { key: 'Enter' })
      await router.navigate('/fine?q=ada', { replace: true })
      fireEvent.change(order, { target: { value: 'batch' } })
    })
    await waitFor(() => expect(router.state.location.search).toBe('?q=ada&sort=batch'))
  })
})
