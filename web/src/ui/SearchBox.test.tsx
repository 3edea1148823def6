import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'
import { renderApp } from '../testing/render'
import { bookPage, librarian, sessionOf } from '../testing/samples'
import { fakeServer } from '../testing/server'

describe('search of a list', () => {
  it('the address holds what is typed as soon as the box is left, so that nothing is written after a click on a link', async () => {
    fakeServer({ 'GET /auth/session': sessionOf(librarian), 'GET /books': bookPage([]) })
    const { router } = renderApp('/home')
    await userEvent.type(await screen.findByRole('searchbox'), 'ada')
    screen.getByRole('searchbox').blur()
    const written = router.state.navigation.location ?? router.state.location
    expect(written.search).toBe('?q=ada')
    await waitFor(() => expect(router.state.location.search).toBe('?q=ada'))
  })
})
