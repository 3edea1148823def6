import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'
import { renderRoutes } from '../testing/render'
import { useAddressFilter } from './addressFilter'

const filterIn = (params: URLSearchParams) => ({ a: params.get('a') === 'yes', b: params.get('b') === 'yes' })

function Boxes() {
  const [filter, set] = useAddressFilter(filterIn)
  return (['a', 'b'] as const).map((name) => (
    <input
      key={name}
      type="checkbox"
      aria-label={name}
      checked={filter[name]}
      onChange={(event) => set({ [name]: event.currentTarget.checked ? 'yes' : '' })}
    />
  ))
}

describe('filter in the address', () => {
  it('what is ticked shows it while the way to the address still lasts, and a second tick keeps the first', async () => {
    let arrive: () => void = () => {}
    let begun = 0
    // The first address loads at once; the others stay pending until the test releases them.
    const loader = () => {
      begun += 1
      return begun === 1 ? null : new Promise<null>((resolve) => (arrive = () => resolve(null)))
    }
    const { router } = renderRoutes([{ path: '/list', loader, Component: Boxes, HydrateFallback: () => null }], '/list')
    await userEvent.click(await screen.findByRole('checkbox', { name: 'a' }))
    expect(screen.getByRole('checkbox', { name: 'a' })).toBeChecked()
    await userEvent.click(screen.getByRole('checkbox', { name: 'b' }))
    expect(screen.getByRole('checkbox', { name: 'b' })).toBeChecked()
    expect(router.state.location.search).toBe('')
    arrive()
    await waitFor(() => expect(router.state.location.search).toBe('?a=yes&b=yes'))
    expect(screen.getAllByRole('checkbox', { checked: true })).toHaveLength(2)
    await userEvent.click(screen.getByRole('checkbox', { name: 'a' }))
    arrive()
    await waitFor(() => expect(router.state.location.search).toBe('?b=yes'))
    expect(screen.getByRole('checkbox', { name: 'a' })).not.toBeChecked()
  })

  it('what did not arrive is no longer shown', async () => {
    let begun = 0
    const loader = () => {
      begun += 1
      return begun === 2 ? new Promise<null>(() => {}) : null
    }
    const { router } = renderRoutes([{ path: '/list', loader, Component: Boxes, HydrateFallback: () => null }], '/list')
    await userEvent.click(await screen.findByRole('checkbox', { name: 'a' }))
    expect(screen.getByRole('checkbox', { name: 'a' })).toBeChecked()
    await router.navigate('/list?b=yes')
    await waitFor(() => expect(screen.getByRole('checkbox', { name: 'a' })).not.toBeChecked())
    expect(screen.getByRole('checkbox', { name: 'b' })).toBeChecked()
  })
})
