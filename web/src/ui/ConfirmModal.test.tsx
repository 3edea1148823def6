import { fireEvent, screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { renderRoutes } from '../testing/render'
import { ConfirmModal } from './ConfirmModal'

it('R-SEAM-5: the second press of a double click does not confirm again', async () => {
  const confirm = vi.fn()
  const element = (
    <ConfirmModal opened title="Record?" confirm="Yes" onConfirm={confirm} onClose={() => undefined}>
      3 labels
    </ConfirmModal>
  )
  renderRoutes([{ path: '/', element }], '/')
  const yes = await screen.findByRole('button', { name: 'Yes' })
  fireEvent.click(yes, { detail: 1 })
  fireEvent.click(yes, { detail: 2 })
  expect(confirm).toHaveBeenCalledTimes(1)
})
