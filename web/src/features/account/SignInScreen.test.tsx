import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'
import { renderApp } from '../../testing/render'
import { bookPage, config, librarian, sessionOf, student } from '../../testing/samples'
import { fakeServer, problem } from '../../testing/server'

const visitor = { 'GET /auth/session': sessionOf(null), 'GET /books': bookPage([]) }

async function fillIn(email = 'someone@library.test', password = 'four plain words') {
  await userEvent.type(await screen.findByLabelText('Email'), email)
  await userEvent.type(screen.getByLabelText('Password'), password)
  await userEvent.click(screen.getByRole('button', { name: 'Sign In' }))
}

describe('sign in', () => {
  it('R-LOGIN-1: email and password are required; Sign In, Scan ID Card and Register are there', async () => {
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

  it('R-LOGIN-1: says at each field what is wrong, in the words of the page, and the cursor goes to the first one', async () => {
    const made = fakeServer(visitor)
    renderApp('/login')
    const [email, password] = [await screen.findByLabelText('Email'), screen.getByLabelText('Password')]
    const submit = screen.getByRole('button', { name: 'Sign In' })
    await userEvent.click(submit)
    await waitFor(() => expect(email).toHaveFocus())
    expect(email).toHaveAccessibleDescription('Email is required.')
    expect(password).toHaveAccessibleDescription('Password is required.')
    await userEvent.type(email, 'no-address')
    expect(email).not.toHaveAccessibleDescription()
    await userEvent.type(password, 'something')
    await userEvent.click(submit)
    await waitFor(() => expect(email).toHaveFocus())
    expect(email).toHaveAccessibleDescription('Email must be an address like name@college.edu.')
    expect(email).toBeInvalid()
    expect(made.some(({ method }) => method === 'POST')).toBe(false)
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

  it('6.3.3: where a second factor is set up, its code is asked for, and what was wrong is typed over', async () => {
    const answers = [problem(401, 'invalid-second-factor'), { body: librarian }]
    fakeServer({
      ...visitor,
      'POST /auth/sign-in': problem(401, 'second-factor-needed'),
      'GET /auth/sign-in/code': { body: { app: true, passkey: false } },
      'POST /auth/sign-in/code': () => answers.shift() ?? problem(401, 'sign-in-expired'),
    })
    const { router } = renderApp('/login')
    await fillIn()
    const code = await screen.findByLabelText('Code from your authenticator app')
    expect(code).toHaveFocus()
    await userEvent.keyboard('000000{Enter}')
    expect(await screen.findByRole('alert')).toHaveTextContent('This code is not right')
    await userEvent.keyboard('123456{Enter}')
    await waitFor(() => expect(router.state.location.pathname).toBe('/library/home'))
  })

  it('6.3.3: a code that comes too late leads back to the password', async () => {
    fakeServer({
      ...visitor,
      'POST /auth/sign-in': problem(401, 'second-factor-needed'),
      'GET /auth/sign-in/code': { body: { app: true, passkey: false } },
      'POST /auth/sign-in/code': problem(401, 'sign-in-expired'),
    })
    renderApp('/login')
    await fillIn()
    await userEvent.type(await screen.findByLabelText('Code from your authenticator app'), '123456{Enter}')
    expect(await screen.findByRole('alert')).toHaveTextContent('This sign-in took too long')
    await userEvent.click(screen.getByRole('button', { name: 'Start again' }))
    expect(screen.getByLabelText('Email')).toHaveValue('someone@library.test')
  })

  it('6.3.3: a librarian who must set a second factor up is led there and nowhere else', async () => {
    fakeServer({
      ...visitor,
      'POST /auth/sign-in': { body: { ...librarian, secondFactorMissing: true } },
      'GET /config': { body: config },
      'GET /me/second-factor': {
        body: { since: null, passkeys: [], device: null, recoveryCodes: 0, codeNeeded: false, required: true },
      },
    })
    const { router } = renderApp('/login?next=%2Fpeople')
    await fillIn()
    expect(await screen.findByText('One thing before you begin')).toBeVisible()
    expect(router.state.location.pathname).toBe('/library/security')
    expect(screen.queryByRole('link', { name: 'Home' })).toBeNull()
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
    // Types like a keyboard wedge: the code and Enter.
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
