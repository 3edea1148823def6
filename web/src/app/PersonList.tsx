import { Menu, useMantineColorScheme } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { CircleQuestionMark, ShieldCheck, UserRound } from 'lucide-react'
import { Link } from 'react-router'
import type { User } from '../api/types'
import { chooseLanguage, currentLanguage, LANGUAGES, t, type Language } from '../lib/messages'
import { notify } from '../lib/notify'
import { paths } from '../screens'
import { BarMenu } from './BarMenu'
import type { MenuState } from './LateMenu'
import { showKeyboardHelp } from './shortcuts'

type PersonListProps = { menu: MenuState; user: User; onSignOut: () => void }

/** Menu of the signed-in user. */
export default function PersonList({ menu, user, onSignOut }: PersonListProps) {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  // A phone has no keys to explain.
  const isPhone = useMediaQuery('(hover: none) and (pointer: coarse)', false, { getInitialValueInEffect: false })

  async function choose(language: Language) {
    try {
      await chooseLanguage(language)
    } catch (error) {
      console.error(error)
      notify.failure(t('common.languageFailed'))
    }
  }

  return (
    <BarMenu menu={menu} position="bottom-end" width={260}>
      <Menu.Label dir="auto">{user.email}</Menu.Label>
      {user.role === 'student' && (
        <Menu.Item component={Link} to={paths.profile()} leftSection={<UserRound data-size="18" />}>
          {t('app.nav.profile')}
        </Menu.Item>
      )}
      <Menu.Item component={Link} to={paths.security()} leftSection={<ShieldCheck data-size="18" />}>
        {t('security.title')}
      </Menu.Item>
      {/* Left out, not hidden: the arrow keys would stop at a hidden item. */}
      {!isPhone && (
        <Menu.Item leftSection={<CircleQuestionMark data-size="18" />} onClick={showKeyboardHelp}>
          {t('app.nav.help')}
        </Menu.Item>
      )}
      <Menu.Divider />
      <Menu.Label>{t('app.person.language')}</Menu.Label>
      <Menu.RadioGroup value={currentLanguage()} onChange={(language) => void choose(language as Language)}>
        {Object.entries(LANGUAGES).map(([language, name]) => (
          <Menu.RadioItem key={language} value={language} lang={language}>
            {name}
          </Menu.RadioItem>
        ))}
      </Menu.RadioGroup>
      <Menu.Divider />
      <Menu.Label>{t('app.person.colours')}</Menu.Label>
      <Menu.RadioGroup value={colorScheme} onChange={(scheme) => setColorScheme(scheme as 'auto' | 'light' | 'dark')}>
        <Menu.RadioItem value="auto">{t('app.person.coloursAuto')}</Menu.RadioItem>
        <Menu.RadioItem value="light">{t('app.person.coloursLight')}</Menu.RadioItem>
        <Menu.RadioItem value="dark">{t('app.person.coloursDark')}</Menu.RadioItem>
      </Menu.RadioGroup>
      <Menu.Divider />
      <Menu.Item onClick={onSignOut}>{t('app.nav.logout')}</Menu.Item>
    </BarMenu>
  )
}
