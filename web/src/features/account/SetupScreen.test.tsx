import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'
import { renderApp } from '../../testing/render'
import { bookPage, config, sessionOf } from '../../testing/samples'
import { fakeServer, problem } from '../../testing/server'

describe('setting up a library', () => {
  it('R-ROLE-3: a wrong code is refused, keeps what was typed, and says how to get another', async () => {
    const made = fakeServer({
      'GET /auth/session': sessionOf(null),
      'GET /books': bookPage([]),
      'GET /config': { body: config },
      'GET /setup': { body: { needed: true } },
      'POST /setup': problem(401, 'invalid-setup-code'),
    })
    renderApp('/setup#BCDF-2345')
    await userEvent.type(await screen.findByLabelText('Full name'), 'Meera Iyer')
    await userEvent.type(screen.getByLabelText('Email'), 'meera@library.test')
    await userEvent.type(screen.getByLabelText('Password'), 'four plain words')
    expect(screen.queryByText(/it prints an address/)).not.toBeInTheDocument()
    await userEvent.click(screen.getByRole('button', { name: 'Create the library' }))
    expect(await screen.findByText(/This code is not right/)).toBeVisible()
    expect(screen.getByText(/it prints an address/)).toBeVisible()
    expect(screen.getByLabelText('Code')).toHaveValue('BCDF-2345')
    expect(screen.getByLabelText('Full name')).toHaveValue('Meera Iyer')
    const sent = made.find(({ method, url }) => method === 'POST' && url.endsWith('/setup'))
    expect(await sent?.json()).toMatchObject({ code: 'BCDF-2345', email: 'meera@library.test' })
    // No request has the code in its address.
    expect(made.every(({ url }) => !url.includes('BCDF'))).toBe(true)
  })
})
