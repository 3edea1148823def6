import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it } from 'vitest'
import { renderApp } from '../../testing/render'
import { config, sessionOf, student } from '../../testing/samples'
import { fakeServer } from '../../testing/server'

function open(offered: boolean) {
  const made = fakeServer({
    'GET /auth/session': sessionOf(student),
    'GET /config': { body: config },
    'GET /me': { body: student },
    'GET /me/loans': { body: { loans: [], today: '2026-11-21', totalFine: 0 } },
    'GET /me/suggestions': { body: { offered, counted: true } },
    'PUT /me/suggestions': { body: { offered, counted: false } },
  })
  renderApp('/profile')
  return made
}

beforeEach(() => sessionStorage.clear())

describe('the choice about suggestions', () => {
  it('leaves the loans of the reader out', async () => {
    const made = open(true)
    const counted = await screen.findByLabelText(/Count my loans/)
    expect(counted).toBeChecked()
    await userEvent.click(counted)
    await waitFor(() => expect(counted).not.toBeChecked())
    const sent = made.find(({ method }) => method === 'PUT')
    expect(await sent?.json()).toEqual({ counted: false })
  })

  it('is not shown while the library makes no suggestions', async () => {
    open(false)
    expect(await screen.findByText('You have no borrowed books.')).toBeVisible()
    expect(screen.queryByText('Suggestions')).toBeNull()
  })
})
