import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'
import { renderApp } from '../../testing/render'
import { bookPage, config, sessionOf, student } from '../../testing/samples'
import { fakeServer, problem, wrong } from '../../testing/server'

const visitor = {
  'GET /auth/session': sessionOf(null),
  'GET /books': bookPage([]),
  'GET /config': { body: config },
}

async function fillIn() {
  await userEvent.type(await screen.findByLabelText('Full name'), 'Asha Rao')
  await userEvent.type(screen.getByLabelText('Email'), 'asha@library.test')
  await userEvent.type(screen.getByLabelText('Password'), 'four plain words')
  await userEvent.type(screen.getByLabelText('Roll number'), 'CS2026-001')
  await userEvent.type(screen.getByLabelText('Department'), 'Physics')
  await screen.findByRole('option', { name: '2027' })
  await userEvent.selectOptions(screen.getByLabelText('Batch'), '2027')
}

const submit = () => userEvent.click(screen.getByRole('button', { name: 'Create Account' }))

describe('Create Account', () => {
  it('R-REG-1: every field is asked for, the first wrong one has the focus, and nothing is sent', async () => {
    const made = fakeServer(visitor)
    renderApp('/register')
    await screen.findByLabelText('Full name')
    await submit()
    for (const label of ['Full name', 'Email', 'Password', 'Roll number', 'Department', 'Batch']) {
      expect(screen.getByText(`${label} is required.`)).toBeVisible()
    }
    await waitFor(() => expect(screen.getByLabelText('Full name')).toHaveFocus())
    expect(made.some((request) => request.url.endsWith('/auth/register'))).toBe(false)
    expect(screen.getByRole('link', { name: 'Sign in' })).toHaveAttribute('href', '/library/login')
  })

  it('R-REG-2: the roll number is lower-cased as it is typed, also in the middle; the batches are those of the settings', async () => {
    fakeServer({ ...visitor, 'GET /config': { body: { ...config, batches: ['2029', 'Class 10'] } } })
    renderApp('/register')
    const rollNumber: HTMLInputElement = await screen.findByLabelText('Roll number')
    await userEvent.type(rollNumber, 'CS-1')
    await userEvent.type(rollNumber, 'XY', { initialSelectionStart: 2, initialSelectionEnd: 2 })
    expect(rollNumber).toHaveValue('csxy-1')
    expect(rollNumber.selectionStart).toBe(4)
    await screen.findByRole('option', { name: '2029' })
    const years = [...screen.getByLabelText<HTMLSelectElement>('Batch').options].map((option) => option.value)
    expect(years.filter(Boolean)).toEqual(['2029', 'Class 10'])
  })

  it('R-RULE-1: the departments of the settings are suggested, and another one may be typed', async () => {
    fakeServer({ ...visitor, 'GET /config': { body: { ...config, departments: ['Physics', 'History'] } } })
    renderApp('/register')
    const department = await screen.findByLabelText<HTMLInputElement>('Department')
    await waitFor(() =>
      expect([...(department.list?.options ?? [])].map((option) => option.value)).toEqual(['Physics', 'History']),
    )
    await userEvent.type(department, 'Botany')
    expect(department).toHaveValue('Botany')
  })

  it('R-REG-5: after success the sign-in form has the email and says Account created.', async () => {
    const made = fakeServer({ ...visitor, 'POST /auth/register': { status: 201, body: student } })
    const { router } = renderApp('/register')
    await fillIn()
    await submit()
    await waitFor(() => expect(router.state.location.pathname).toBe('/library/login'))
    expect(await screen.findByText('Account created.')).toBeVisible()
    expect(screen.getByLabelText('Email')).toHaveValue('asha@library.test')
    const sent: unknown = await made.find((request) => request.url.endsWith('/auth/register'))?.json()
    expect(sent).toEqual({
      name: 'Asha Rao',
      email: 'asha@library.test',
      password: 'four plain words',
      rollNumber: 'cs2026-001',
      department: 'Physics',
      batch: '2027',
    })
  })

  it('R-REG-4 U19: a refusal of one field is said once, in a red alert, marks the field, and nothing typed is lost', async () => {
    const words = 'An account with this email already exists. Sign in, or use another address.'
    fakeServer({
      ...visitor,
      'POST /auth/register': problem(409, 'email-taken', { errors: [wrong('email', 'problem.email-taken')] }),
    })
    renderApp('/register')
    await fillIn()
    await submit()
    expect(await screen.findByRole('alert')).toHaveTextContent(words)
    expect(screen.getByLabelText('Email')).toHaveAccessibleDescription(words)
    const seen = screen.getAllByText(words).filter((element) => !element.className.includes('VisuallyHidden'))
    expect(seen).toHaveLength(1)
    expect(screen.getByLabelText('Email')).toBeInvalid()
    expect(screen.getByLabelText('Full name')).toHaveValue('Asha Rao')
    await waitFor(() => expect(screen.getByLabelText('Email')).toHaveFocus())
  })
})
