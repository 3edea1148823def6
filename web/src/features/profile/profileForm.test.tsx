import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it } from 'vitest'
import { renderApp } from '../../testing/render'
import { config, sessionOf, student } from '../../testing/samples'
import { fakeServer } from '../../testing/server'

const server = () =>
  fakeServer({
    'GET /auth/session': sessionOf(student),
    'GET /config': { body: config },
    'GET /me': { body: student },
    'GET /me/loans': { body: { loans: [], today: '2026-11-21', totalFine: 0 } },
  })

beforeEach(() => sessionStorage.clear())

describe('the profile of a student without loans', () => {
  it('R-PROF-1: name, roll number and department are required, and nothing is sent without them', async () => {
    const made = server()
    renderApp('/profile')
    await userEvent.click(await screen.findByRole('button', { name: 'Edit Profile' }))
    const labels = ['Full name', 'Roll number', 'Department']
    for (const label of labels) {
      await userEvent.clear(screen.getByLabelText(label))
      await userEvent.type(screen.getByLabelText(label), '  ')
    }
    await userEvent.click(screen.getByRole('button', { name: 'Update' }))
    for (const label of labels) {
      expect(screen.getByLabelText(label)).toHaveAccessibleDescription(new RegExp(`${label} is required.`))
    }
    await waitFor(() => expect(screen.getByLabelText('Full name')).toHaveFocus())
    expect(made.some(({ method }) => method === 'PATCH')).toBe(false)
  })

  it('R-PROF-1: Cancel changes nothing, and the form begins anew', async () => {
    const made = server()
    renderApp('/profile')
    await userEvent.click(await screen.findByRole('button', { name: 'Edit Profile' }))
    await userEvent.clear(screen.getByLabelText('Full name'))
    await userEvent.type(screen.getByLabelText('Full name'), 'Somebody Else')
    await userEvent.click(screen.getByRole('button', { name: 'Cancel' }))
    await userEvent.click(await screen.findByRole('button', { name: 'Edit Profile' }))
    expect(screen.getByLabelText('Full name')).toHaveValue(student.name)
    expect(made.some(({ method }) => method === 'PATCH')).toBe(false)
  })

  it('R-PROF-2: it says that there is none and leads to the books', async () => {
    server()
    renderApp('/profile')
    expect(await screen.findByText('You have no borrowed books.')).toBeVisible()
    expect(screen.getByRole('link', { name: 'Find a book' })).toHaveAttribute('href', '/library/student-home')
  })
})
