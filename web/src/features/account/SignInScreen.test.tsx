import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'
import { renderApp } from '../../testing/render'
import { bookPage, librarian, sessionOf, student } from '../../testing/samples'
import { fakeServer, problem } from '../../testing/server'

const visitor = { 'GET /auth/session': sessionOf(null), 'GET /books': bookPage([]) }

async function fillIn(email = 'someone@library.test', password = 'four plain words') {
  await userEvent.type(await screen.findByLabelText('Email'), email)
  await userEvent.type(screen.getByLabelText('Password'), password)
  await userEvent.click(screen.getByRole('button', { name: 'Sign In' }))
}

describe('sign in', () => {
  it('R-LOGIN-1: email and password are required by the browser; Sign In, Scan ID Card and Register are there', async () => {
    fakeServer(visitor)
    renderApp('/library')
    const email = await screen.findByLabelText('Email')
    expect(email).toBeRequired()
    expect(email).toHaveAttribute('type', 'email')
    expect(screen.getByLabelText('Password')).toBeRequired()
    expect(screen.getByRole('button', { name: 'Sign In' })).toBeEnabled()
    expect(screen.getByRole('button', { name: 'Scan ID Card' })).toHaveAttribute('aria-expanded', 'false')
    expect(screen.getByRole('link', { name: 'Register' })).toHaveAttribute('href', '/library/register')
  })

  it.each([
    [librarian, '/library/home'],
    [student, '/library/student-home'],
  ])('R-LOGIN-3: the role is stored and leads to the own home, replacing the form', async (user, home) => {
    fakeServer({ ...visitor, 'POST /auth/sign-in': { body: user } })
    const { router } = renderApp('/login')
    await fillIn()
    await waitFor(() => expect(router.state.location.pathname).toBe(home))
    expect(localStorage.getItem('userRole')).toBe(user.role)
    expect(router.state.historyAction).toBe('REPLACE')
  })

  it.each([
    ['R-LOGIN-4', 'Invalid email or password.', problem(401, 'invalid-credentials')],
    ['R-LOGIN-5', 'User role not defined.', problem(403, 'role-undefined')],
    ['R-LOGIN-5', 'User data not found.', problem(401, 'user-missing')],
  ])('%s: a refusal is said in the words of the specification: %s', async (_id, words, refusal) => {
    fakeServer({ ...visitor, 'POST /auth/sign-in': refusal })
    renderApp('/login')
    await fillIn('someone@library.test')
    expect(await screen.findByRole('alert')).toHaveTextContent(words)
    expect(screen.getByLabelText('Email')).toHaveValue('someone@library.test')
  })

  it('R-LOGIN-6: Keep me signed in is sent with the form', async () => {
    const made = fakeServer({ ...visitor, 'POST /auth/sign-in': { body: librarian } })
    renderApp('/login')
    await userEvent.click(await screen.findByLabelText('Keep me signed in'))
    await fillIn()
    await waitFor(() => expect(made.some((request) => request.url.endsWith('/auth/sign-in'))).toBe(true))
    const sent: unknown = await made.find((request) => request.url.endsWith('/auth/sign-in'))?.json()
    expect(sent).toMatchObject({ remember: true })
  })

  it('returns to where somebody wanted to go', async () => {
    fakeServer({ ...visitor, 'POST /auth/sign-in': { body: librarian } })
    const { router } = renderApp(`/login?next=${encodeURIComponent('/home?q=ada')}`)
    await fillIn()
    await waitFor(() =>
      expect(router.state.location.pathname + router.state.location.search).toBe('/library/home?q=ada'),
    )
  })

  it('says it plainly when the server cannot be reached', async () => {
    fakeServer({
      ...visitor,
      'POST /auth/sign-in': () => {
        throw new TypeError('Failed to fetch')
      },
    })
    renderApp('/login')
    await fillIn()
    expect(await screen.findByRole('alert')).toHaveTextContent('The library cannot be reached.')
  })
})

describe('Scan ID Card', () => {
  async function scan(code: string) {
    await userEvent.click(await screen.findByRole('button', { name: 'Scan ID Card' }))
    // A keyboard wedge types the code and Enter.
    await userEvent.type(await screen.findByLabelText('Or type the roll number'), `${code}{Enter}`)
  }

  it('R-SCAN-2, R-SCAN-9: the code is trimmed and lower-cased, the email filled in, the panel closed', async () => {
    const made = fakeServer({ ...visitor, 'POST /auth/id-card': { body: { email: student.email ?? '' } } })
    renderApp('/login')
    await scan('  CS2026-001 ')
    await waitFor(() => expect(screen.getByLabelText('Email')).toHaveValue(student.email))
    const sent: unknown = await made.find((request) => request.url.endsWith('/auth/id-card'))?.json()
    expect(sent).toEqual({ rollNumber: 'cs2026-001' })
    expect(screen.getByLabelText('Password')).toHaveFocus()
    expect(screen.queryByLabelText('Or type the roll number')).not.toBeInTheDocument()
    expect(made.some((request) => request.url.endsWith('/auth/sign-in'))).toBe(false)
  })

  it.each([
    ['No user found for the scanned roll number.', problem(404, 'card-unknown')],
    ['User role is not recognized.', problem(403, 'card-role-unknown')],
    ['Failed to fetch user from the database.', problem(500, 'internal')],
  ])('R-SCAN-3: %s', async (message, refusal) => {
    fakeServer({ ...visitor, 'POST /auth/id-card': refusal })
    renderApp('/login')
    await scan('cs2026-001')
    expect(await screen.findByRole('alert')).toHaveTextContent(message)
  })
})
