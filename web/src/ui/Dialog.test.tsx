import { fireEvent, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it, vi } from 'vitest'
import { renderRoutes } from '../testing/render'
import { Dialog } from './Dialog'

/** Shows a dialog, and returns its `onClose` mock. */
function show(keepsOpen = false) {
  const onClose = vi.fn()
  const element = (
    <Dialog title="A window" keepsOpen={keepsOpen} onClose={onClose}>
      <input aria-label="A field" />
    </Dialog>
  )
  renderRoutes([{ path: '/', element }], '/')
  return onClose
}

const besides = () => document.querySelector('.mantine-Modal-overlay')!

it('V15: a click beside a window closes it, but not once something was typed there', async () => {
  const onClose = show()
  await userEvent.click(besides())
  expect(onClose).toHaveBeenCalledOnce()
  await userEvent.type(screen.getByRole('textbox'), 'x')
  await userEvent.click(besides())
  expect(onClose).toHaveBeenCalledOnce()
  await userEvent.keyboard('{Escape}')
  expect(onClose).toHaveBeenCalledTimes(2)
})

it('V14: what is shown once goes neither by Escape nor by a click beside it', async () => {
  const onClose = show(true)
  await userEvent.click(besides())
  await userEvent.keyboard('{Escape}')
  expect(onClose).not.toHaveBeenCalled()
})

it('the second press of a double click on what opened a window does not close it', async () => {
  const onClose = show()
  fireEvent.click(besides(), { detail: 2 })
  expect(onClose).not.toHaveBeenCalled()
  fireEvent.click(besides(), { detail: 1 })
  expect(onClose).toHaveBeenCalledOnce()
})
