import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it, vi } from 'vitest'
import { onSignedOut } from '../api/client'
import { renderApp } from '../testing/render'
import { config, librarian, sessionOf } from '../testing/samples'
import { fakeServer } from '../testing/server'

const sessions = (made: Request[]) => made.filter(({ url }) => url.endsWith('/auth/session'))
const marked = (request: Request) => request.headers.has('Library-Background')

it('tells once a minute that somebody is there; what the page reads by itself does not', async () => {
  const made = fakeServer({ 'GET /auth/session': sessionOf(librarian), 'GET /config': { body: config } })
  renderApp('/people')
  await screen.findByRole('heading', { level: 1, name: 'People' })
  const reads = made.filter(({ method }) => method === 'GET')
  expect(reads.length).toBeGreaterThan(1)
  expect(reads.every(marked)).toBe(true)

  await userEvent.keyboard('a')
  await waitFor(() => expect(sessions(made).filter((request) => !marked(request))).toHaveLength(1))
  await userEvent.keyboard('b')
  await userEvent.click(document.body)
  expect(sessions(made).filter((request) => !marked(request))).toHaveLength(1)
})

it('finds out by itself that the session has ended', async () => {
  let ended = false
  const lead = vi.fn()
  onSignedOut(lead)
  const made = fakeServer({
    'GET /auth/session': () =>
      ended ? { body: { user: null, idCard: true } } : { body: { user: librarian, idCard: true, expiresIn: 0 } },
    'GET /config': { body: config },
  })
  renderApp('/people')
  await screen.findByRole('heading', { level: 1, name: 'People' })
  ended = true
  await waitFor(() => expect(lead).toHaveBeenCalledOnce(), { timeout: 5000 })
  expect(sessions(made).every(marked)).toBe(true)
})

it('the answer to the press that signs out brings nobody back', async () => {
  let answer = () => {}
  const late = new Promise<void>((resolve) => (answer = resolve))
  fakeServer({
    'GET /auth/session': async (request) => {
      if (!marked(request)) await late
      return sessionOf(librarian)
    },
    'GET /config': { body: config },
    'POST /auth/sign-out': { status: 204 },
  })
  renderApp('/people')
  await screen.findByRole('heading', { level: 1, name: 'People' })
  await userEvent.click(screen.getByRole('button', { name: 'Logout' }))
  expect(await screen.findByRole('heading', { level: 1, name: 'Sign in' })).toBeVisible()
  answer()
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(screen.queryByText(/You are signed in as/)).not.toBeInTheDocument()
})

it('a press that finds the session ended still presses what it was on, and then the screen tells', async () => {
  let ended = false
  const lead = vi.fn()
  onSignedOut(lead)
  const made = fakeServer({
    'GET /auth/session': () => (ended ? { body: { user: null, idCard: true } } : sessionOf(librarian)),
    'GET /config': { body: config },
  })
  renderApp('/people')
  await screen.findByRole('heading', { level: 1, name: 'People' })
  ended = true
  await userEvent.pointer({ keys: '[MouseLeft>]', target: document.body })
  await waitFor(() => expect(sessions(made).some((request) => !marked(request))).toBe(true))
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(screen.getByRole('button', { name: 'Logout' })).toBeVisible()
  await waitFor(() => expect(lead).toHaveBeenCalledOnce(), { timeout: 5000 })
})
