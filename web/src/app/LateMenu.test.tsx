import { Menu, MantineProvider } from '@mantine/core'
import { act, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { ComponentType } from 'react'
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

/** Creates a part whose code comes when `arrive` is called. */
function late(part: ComponentType<{ menu: MenuState }>) {
  let come = () => {}
  const arrived = new Promise<void>((resolve) => {
    come = resolve
  })
  const Late = lazyChunk('part', async () => {
    await arrived
    return { default: part }
  })
  const arrive = async () => {
    come()
    await arrived
  }
  return { Late, arrive }
}

it('R-SHELL-3 a menu pressed before its code has come opens, and its button keeps the focus meanwhile', async () => {
  const { Late, arrive } = late(Part)
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
  await act(arrive)
  expect(await screen.findByRole('status')).toBeVisible()
  expect(button()).toHaveFocus()
})

it('R-SHELL-3 Escape gives the focus back to the button of a menu that was opened before its code', async () => {
  const { Late, arrive } = late(({ menu }) => (
    <BarMenu menu={menu}>
      <Menu.Item>Security</Menu.Item>
    </BarMenu>
  ))
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
  await act(arrive)
  expect(await screen.findByRole('menuitem')).toBeVisible()
  await waitFor(() => expect(screen.getByRole('menuitem')).toHaveFocus())
  await userEvent.keyboard('{Escape}')
  await waitFor(() => expect(button()).toHaveFocus())
})
