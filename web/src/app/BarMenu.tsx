import { Menu, type MenuProps } from '@mantine/core'
import type { ReactNode } from 'react'
import type { MenuState } from './LateMenu'

type BarMenuProps = Pick<MenuProps, 'position' | 'width'> & { menu: MenuState; children: ReactNode }

/** Menu of the navigation bar; inside it, so that its items belong to a landmark. */
export function BarMenu({ menu: { target, opened, onChange }, children, ...others }: BarMenuProps) {
  return (
    <Menu opened={opened} onChange={onChange} withInitialFocusPlaceholder={false} withinPortal={false} {...others}>
      <Menu.Target>{target}</Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  )
}
