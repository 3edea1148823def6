import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it, vi } from 'vitest'
import { renderApp } from '../testing/render'
import { config, librarian, sessionOf } from '../testing/samples'
import { fakeServer } from '../testing/server'

it('V18: a page that is open while the server is updated offers to reload (R-SHELL-5)', async () => {
  let build = 'monday'
  const built = () => ({ 'Library-Build': build })
  fakeServer({
    'GET /auth/session': () => ({ ...sessionOf(librarian), headers: built() }),
    'GET /config': () => ({ body: config, headers: built() }),
  })
  renderApp('/people')
  await screen.findByRole('heading', { level: 1, name: 'People' })
  await userEvent.keyboard('a')
  expect(screen.queryByText('The library app was updated.')).not.toBeInTheDocument()

  build = 'tuesday'
  // A minute later, a key press reports presence again.
  vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 61_000)
  await userEvent.keyboard('b')
  expect(await screen.findByText('The library app was updated.')).toBeVisible()
  expect(screen.getByRole('button', { name: 'Reload' })).toBeEnabled()
})
