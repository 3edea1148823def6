import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'
import { renderApp } from '../../testing/render'
import { sessionOf } from '../../testing/samples'
import { fakeServer, problem } from '../../testing/server'

describe('a forgotten password', () => {
  it('offers a link only where mail is configured', async () => {
    fakeServer({ 'GET /auth/session': { body: { user: null, idCard: true, mail: true } } })
    renderApp('/login')
    // Loaded with the chunk of the other ways to sign in, so wait for it.
    const link = await screen.findByRole('link', { name: 'Forgot your password?' }, { timeout: 10_000 })
    expect(link).toHaveAttribute('href', '/library/forgot')
  })

  it('has the address that was typed at sign-in, and not in its own address', async () => {
    fakeServer({ 'GET /auth/session': { body: { user: null, idCard: true, mail: true } } })
    const { router } = renderApp('/login')
    await userEvent.type(await screen.findByLabelText('Email'), 'asha@college.edu')
    await userEvent.click(await screen.findByRole('link', { name: 'Forgot your password?' }, { timeout: 10_000 }))
    expect(await screen.findByRole('button', { name: 'Send me a link' })).toBeVisible()
    expect(screen.getByLabelText('Email')).toHaveValue('asha@college.edu')
    expect(router.createHref(router.state.location)).toBe('/library/forgot')
  })

  it('says the same for every address, and names a wrong one', async () => {
    const made = fakeServer({ 'GET /auth/session': sessionOf(null), 'POST /auth/forgot': { status: 204 } })
    renderApp('/forgot')
    await userEvent.type(await screen.findByLabelText('Email'), 'asha')
    await userEvent.click(screen.getByRole('button', { name: 'Send me a link' }))
    expect(screen.getByLabelText('Email')).toHaveAccessibleDescription(/must be an address like/)
    expect(screen.getByLabelText('Email')).toHaveValue('asha')
    await userEvent.type(screen.getByLabelText('Email'), '@college.edu')
    await userEvent.click(screen.getByRole('button', { name: 'Send me a link' }))
    expect(await screen.findByText(/If asha@college.edu has an account/)).toBeVisible()
    expect(made.filter(({ method }) => method === 'POST')).toHaveLength(1)
  })

  it('chooses a password with the part behind #, and leads to another link when it is used', async () => {
    const made = fakeServer({
      'GET /auth/session': sessionOf(null),
      'POST /auth/reset/check': { status: 204 },
      'POST /auth/reset': problem(401, 'invalid-link'),
    })
    renderApp('/reset#token-of-the-mail')
    await userEvent.type(await screen.findByLabelText('New password'), 'four unrelated words')
    await userEvent.click(screen.getByRole('button', { name: 'Save the password' }))
    expect(await screen.findByRole('link', { name: 'Ask for a new link' })).toHaveAttribute('href', '/library/forgot')
    const sent = made.find(({ url }) => url.endsWith('/auth/reset'))
    expect(await sent?.json()).toMatchObject({ token: 'token-of-the-mail', password: 'four unrelated words' })
  })

  it('leads to another link before a password is typed for a dead one', async () => {
    fakeServer({ 'GET /auth/session': sessionOf(null), 'POST /auth/reset/check': problem(401, 'invalid-link') })
    renderApp('/reset#token-of-an-old-mail')
    expect(await screen.findByRole('link', { name: 'Ask for a new link' })).toHaveAttribute('href', '/library/forgot')
    expect(screen.queryByLabelText('New password')).toBeNull()
  })

  it('asks for the whole link where a part is missing', async () => {
    fakeServer({ 'GET /auth/session': sessionOf(null) })
    renderApp('/reset')
    expect(await screen.findByText(/This link is incomplete/)).toBeVisible()
  })
})
