import { Menu, type MenuProps } from '@mantine/core'
import { useMounted } from '@mantine/hooks'
import type { ReactNode } from 'react'
import type { MenuState } from './LateMenu'

type BarMenuProps = Pick<MenuProps, 'position' | 'width'> & { menu: MenuState; children: ReactNode }

/** Menu of the navigation bar; inside it, so that its items belong to a landmark. */
export function BarMenu({ menu: { target, opened, onChange }, children, ...others }: BarMenuProps) {
  // A menu that is open in its first render does not know where the focus came from, and would not give it back.
  const isMounted = useMounted()
  return (
    <Menu
      opened={opened && isMounted}
      onChange={onChange}
      withInitialFocusPlaceholder={false}
      withinPortal={false}
      {...others}
    >
      <Menu.Target>{target}</Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  )
}
