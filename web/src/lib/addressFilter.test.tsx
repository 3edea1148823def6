import { render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { createMemoryRouter, RouterProvider } from 'react-router'
import { expect, it } from 'vitest'
import { useAddressFilter } from './addressFilter'

const filterIn = (params: URLSearchParams) => ({ from: params.get('from'), to: params.get('to') })

function Days() {
  const [{ from, to }, set] = useAddressFilter(filterIn)
  return (
    <>
      <p>
        {from} to {to}
      </p>
      <button
        type="button"
        onClick={() => {
          set('from', '2026-01-02')
          set('to', '2026-01-03')
        }}
      >
        Both
      </button>
      <button type="button" onClick={() => set('from', '')}>
        From any day
      </button>
    </>
  )
}

it('keeps a value that was set while the one before was still on its way to the address', async () => {
  const loader = () => new Promise((resolve) => setTimeout(resolve, 20, null))
  const routes = [{ path: '/', loader, Component: Days, HydrateFallback: () => null }]
  const router = createMemoryRouter(routes, { initialEntries: ['/?from=2026-11-22&to=2026-11-22'] })
  render(<RouterProvider router={router} />)
  await userEvent.click(await screen.findByRole('button', { name: 'Both' }))
  await waitFor(() => expect(router.state.location.search).toBe('?from=2026-01-02&to=2026-01-03'))
  expect(await screen.findByText('2026-01-02 to 2026-01-03')).toBeVisible()
  await userEvent.click(screen.getByRole('button', { name: 'From any day' }))
  await waitFor(() => expect(router.state.location.search).toBe('?to=2026-01-03'))
})
