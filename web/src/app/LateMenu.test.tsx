import { Menu, MantineProvider } from '@mantine/core'
import { act, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it } from 'vitest'
import { lazyChunk } from '../lib/lazyChunk'
import { BarMenu } from './BarMenu'
import { LateMenu, type MenuState } from './LateMenu'

function Part({ menu: { target, opened } }: { menu: MenuState }) {
  return (
    <>
      {target}
      {opened && <p role="status">open</p>}
    </>
  )
}

it('R-SHELL-3 a menu pressed before its code has come opens, and its button keeps the focus meanwhile', async () => {
  let arrive = () => {}
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve
  })
  const Late = lazyChunk('part', async () => {
    await arrived
    return { default: Part }
  })
  render(
    <LateMenu part={Late} target={<button type="button">Person</button>}>
      {(menu) => <Late menu={menu} />}
    </LateMenu>,
  )
  const button = () => screen.getByRole('button', { name: 'Person' })
  button().focus()
  await userEvent.keyboard('{Enter}')
  expect(button()).toHaveFocus()
  expect(screen.queryByRole('status')).not.toBeInTheDocument()
  await act(async () => {
    arrive()
    await arrived
  })
  expect(await screen.findByRole('status')).toBeVisible()
  expect(button()).toHaveFocus()
})

it('R-SHELL-3 Escape gives the focus back to the button of a menu that was opened before its code', async () => {
  let arrive = () => {}
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve
  })
  const Late = lazyChunk('part', async () => {
    await arrived
    return {
      default: ({ menu }: { menu: MenuState }) => (
        <BarMenu menu={menu}>
          <Menu.Item>Security</Menu.Item>
        </BarMenu>
      ),
    }
  })
  render(
    <MantineProvider env="test">
      <LateMenu part={Late} target={<button type="button">Person</button>}>
        {(menu) => <Late menu={menu} />}
      </LateMenu>
    </MantineProvider>,
  )
  const button = () => screen.getByRole('button', { name: 'Person' })
  button().focus()
  await userEvent.keyboard('{Enter}')
  await act(async () => {
    arrive()
    await arrived
  })
  expect(await screen.findByRole('menuitem')).toBeVisible()
  await waitFor(() => expect(screen.getByRole('menuitem')).toHaveFocus())
  await userEvent.keyboard('{Escape}')
  await waitFor(() => expect(button()).toHaveFocus())
})
