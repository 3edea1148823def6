import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'
import type { OwnSession } from '../../api/types'
import { renderApp } from '../../testing/render'
import { config, sessionOf, student } from '../../testing/samples'
import { fakeServer, type Handlers, problem, wrong } from '../../testing/server'

const one = (id: number, more: Partial<OwnSession> = {}): OwnSession => ({
  id,
  current: false,
  browser: 'Firefox',
  system: 'Windows',
  signedInAt: '2026-11-21T06:00:00Z',
  lastSeenAt: '2026-11-21T06:05:00Z',
  ...more,
})

function server(sessions: OwnSession[], more: Handlers = {}) {
  return fakeServer({
    'GET /auth/session': sessionOf(student),
    'GET /config': { body: config },
    'GET /me/sessions': () => ({ body: { sessions } }),
    ...more,
  })
}

describe('security', () => {
  it('lists where one is signed in, and signs out elsewhere but not here', async () => {
    const sessions = [
      one(1, { current: true, browser: 'Chrome', system: 'Android' }),
      one(2),
      one(3, { browser: null }),
    ]
    server(sessions, {
      'DELETE /me/sessions/2': () => {
        sessions.splice(1, 1)
        return { status: 204 }
      },
    })
    renderApp('/security')
    const items = await screen.findAllByRole('listitem')
    expect(items[0]).toHaveTextContent('Chrome on AndroidThis browser')
    expect(within(items[0] as HTMLElement).queryByRole('button')).toBeNull()
    expect(items[2]).toHaveTextContent(/^Windows/)
    await userEvent.click(screen.getByRole('button', { name: 'Sign out: Firefox on Windows' }))
    expect(await screen.findByText('Signed out: Firefox on Windows.')).toBeVisible()
    expect(screen.getAllByRole('listitem')).toHaveLength(2)
    expect(screen.getByRole('heading', { name: 'Where you are signed in' })).toHaveFocus()
  })

  it('changes the password; what is wrong stands at its field, and nothing typed is kept anywhere', async () => {
    const errors = [wrong('currentPassword', 'wrongPassword')]
    let right = false
    const made = server([one(1, { current: true })], {
      'POST /auth/password': () => (right ? { status: 204 } : problem(422, 'invalid', { errors })),
    })
    renderApp('/security')
    const current = await screen.findByLabelText('Current password')
    await userEvent.type(current, 'not this')
    await userEvent.type(screen.getByLabelText('New password'), 'four other words')
    await userEvent.click(screen.getByRole('button', { name: 'Change password' }))
    expect(await screen.findByText(/not your password/i)).toBeVisible()
    expect(current).toHaveFocus()
    right = true
    await userEvent.clear(current)
    await userEvent.type(current, 'this')
    await userEvent.click(screen.getByRole('button', { name: 'Change password' }))
    expect(await screen.findByText('Password changed. Other browsers are signed out.')).toBeVisible()
    expect(current).toHaveValue('')
    const sent = made.findLast((request) => request.method === 'POST')
    expect(await sent?.json()).toEqual({ currentPassword: 'this', newPassword: 'four other words' })
    expect(sessionStorage).toHaveLength(0)
  })
})
