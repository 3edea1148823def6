import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'
import { renderApp } from '../../testing/render'
import { bookPage, config, sessionOf, student } from '../../testing/samples'
import { fakeServer, type Handlers, problem, wrong } from '../../testing/server'

const server = (more: Handlers) =>
  fakeServer({
    'GET /auth/session': sessionOf(null),
    'GET /books': bookPage([]),
    'GET /config': { body: config },
    ...more,
  })

const sentTo = (made: Request[]) => made.filter((request) => request.url.endsWith('/auth/register'))

/** Pastes a text: typing would render the form for each key. */
async function paste(label: string, text: string) {
  const input = await screen.findByLabelText(label)
  await userEvent.clear(input)
  await userEvent.click(input)
  await userEvent.paste(text)
}

async function fillIn(password: string) {
  await paste('Full name', 'Asha Rao')
  await paste('Email', 'asha@library.test')
  await paste('Password', password)
  await paste('Roll number', 'cs2026-001')
  await paste('Department', 'Physics')
  await screen.findByRole('option', { name: '2027' })
  await userEvent.selectOptions(screen.getByLabelText('Batch'), '2027')
}

const create = () => screen.getByRole('button', { name: 'Create Account' })

describe('what Create Account refuses', () => {
  it('R-REG-1: each of the six fields is required and says so where a screen reader reads it', async () => {
    server({})
    renderApp('/register')
    await screen.findByLabelText('Full name')
    await userEvent.click(create())
    for (const label of ['Full name', 'Email', 'Password', 'Roll number', 'Department', 'Batch']) {
      expect(screen.getByLabelText(label)).toBeRequired()
      expect(screen.getByLabelText(label)).toHaveAccessibleDescription(new RegExp(`${label} is required.`))
    }
  })

  it('R-REG-2: the batch is one of those of the settings', async () => {
    server({})
    renderApp('/register')
    await screen.findByRole('option', { name: '2028' })
    const offered = [...screen.getByLabelText<HTMLSelectElement>('Batch').options].filter(({ disabled }) => !disabled)
    expect(offered.map(({ text }) => text)).toEqual(['2025', '2026', '2027', '2028'])
  })

  it('R-REG-4 R-REG-5: a password among the commonest is refused with advice at its field', async () => {
    const advice = 'This password is among the most common.'
    server({
      'POST /auth/register': problem(422, 'invalid', { errors: [wrong('password', 'common', {}, advice)] }),
    })
    renderApp('/register')
    await fillIn('password1')
    await userEvent.click(create())
    expect(await screen.findByRole('alert')).toBeVisible()
    await waitFor(() => expect(screen.getByLabelText('Password')).toHaveFocus())
    expect(screen.getByLabelText('Password')).toHaveAccessibleDescription(new RegExp(advice))
    expect(screen.getByLabelText('Full name')).toHaveValue('Asha Rao')
  })

  it('R-REG-5: a password has 8 to 128 characters of any kind', async () => {
    const made = server({ 'POST /auth/register': { status: 201, body: student } })
    renderApp('/register')
    await fillIn('seven77')
    await userEvent.click(create())
    const password = screen.getByLabelText('Password')
    expect(password).toHaveAccessibleDescription(/Password must be at least 8 characters./)
    await paste('Password', 'x'.repeat(129))
    await userEvent.click(create())
    expect(password).toHaveAccessibleDescription(/Password must be at most 128 characters./)
    expect(sentTo(made)).toHaveLength(0)
    await paste('Password', 'ಓದುವ ಮನೆ 📚')
    await userEvent.click(create())
    await screen.findByText('Account created.')
    expect(await sentTo(made)[0]?.json()).toMatchObject({ password: 'ಓದುವ ಮನೆ 📚' })
  })

  it('R-REG-5: a double press after a refusal registers once', async () => {
    const refusal = problem(422, 'invalid', { errors: [wrong('password', 'common')] })
    let refused = false
    const made = server({
      'POST /auth/register': async () => {
        if (!refused) {
          refused = true
          return refusal
        }
        await new Promise((answer) => setTimeout(answer, 300))
        return { status: 201, body: student }
      },
    })
    renderApp('/register')
    await fillIn('password1')
    await userEvent.click(create())
    await screen.findByRole('alert')
    await paste('Password', 'four plain words')
    // As by hand: the second press comes before the response.
    await userEvent.setup({ delay: 30 }).dblClick(create())
    expect(await screen.findByText('Account created.')).toBeVisible()
    expect(screen.getByLabelText('Email')).toHaveValue('asha@library.test')
    expect(sentTo(made)).toHaveLength(2)
  })

  it('R-REG-4: without a connection it is said in words, and what was typed can be sent again', async () => {
    let connected = false
    server({
      'POST /auth/register': () => {
        if (!connected) throw new TypeError('Failed to fetch')
        return { status: 201, body: student }
      },
    })
    renderApp('/register')
    await fillIn('four plain words')
    await userEvent.click(create())
    expect(await screen.findByRole('alert')).toHaveTextContent('The library cannot be reached.')
    expect(screen.getByLabelText('Full name')).toHaveValue('Asha Rao')
    connected = true
    await userEvent.click(create())
    expect(await screen.findByText('Account created.')).toBeVisible()
  })
})
