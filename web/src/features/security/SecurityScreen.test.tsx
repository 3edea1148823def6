import { screen, waitFor, within } from '@testing-library/react'
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
    'GET /me/second-factor': {
      body: { since: null, passkeys: [], device: 'Windows', recoveryCodes: 0, codeNeeded: false, required: false },
    },
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

  it('6.5 says when recovery codes run out, and shows new ones once', async () => {
    let left = 1
    server([one(1, { current: true })], {
      'GET /me/second-factor': () => ({
        body: {
          since: '2026-11-20T06:00:00Z',
          passkeys: [],
          device: null,
          recoveryCodes: left,
          codeNeeded: false,
          required: false,
        },
      }),
      'POST /auth/recovery-codes': () => {
        left = 10
        return { body: { recoveryCodes: ['K7RM-2QXD-9FGH-TB4C'] } }
      },
    })
    renderApp('/security')
    expect(await screen.findByText(/1 recovery code is left. Make new ones/)).toBeVisible()
    await userEvent.click(screen.getByRole('button', { name: 'New recovery codes' }))
    const dialog = within(await screen.findByRole('dialog'))
    await userEvent.type(dialog.getByLabelText('Current password'), 'this')
    await userEvent.type(dialog.getByLabelText('Code from your authenticator app'), '123456{Enter}')
    expect(await dialog.findByText('K7RM-2QXD-9FGH-TB4C')).toBeVisible()
    await userEvent.click(dialog.getByRole('button', { name: 'I have saved them' }))
    await waitFor(() => expect(screen.queryByText('K7RM-2QXD-9FGH-TB4C')).toBeNull())
    expect(screen.getByText(/10 recovery codes are left/)).toBeVisible()
  })
})
