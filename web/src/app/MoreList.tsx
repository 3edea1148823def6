import { Menu } from '@mantine/core'
import { Link } from 'react-router'
import { t } from '../lib/messages'
import type { Screen } from '../lib/screen'
import { BarMenu } from './BarMenu'
import type { MenuState } from './LateMenu'

/** Menu of links to less frequent screens. */
export default function MoreList({ menu, links }: { menu: MenuState; links: readonly Screen[] }) {
  return (
    <BarMenu menu={menu} position="bottom-start">
      {links.map(({ path, label, icon: Icon }) => (
        <Menu.Item key={path} component={Link} to={path} leftSection={Icon && <Icon data-size="18" />}>
          {label && t(label)}
        </Menu.Item>
      ))}
    </BarMenu>
  )
}
