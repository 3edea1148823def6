import { ActionIcon, Button, useComputedColorScheme, useMantineColorScheme } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link, NavLink, Outlet, useLocation, useNavigate } from 'react-router'
import { forgetPerson, sessionQuery, signOut as signOutAction } from '../api/account'
import { useAction } from '../api/action'
import type { User } from '../api/types'
import { HelpIcon, LogoMark, MoonIcon, SunIcon } from '../ui/icons'
import { LanguageSwitch } from '../ui/LanguageSwitch'
import '../ui/styles'
import { t } from '../lib/messages'
import { paths } from '../lib/paths'
import { showKeyboardHelp } from './shortcuts'
import { Notices } from './Notices'
import classes from './Shell.module.css'

/** The navigation bar of whoever is signed in, around the screen. */
export function Shell() {
  const { data, isPending } = useQuery(sessionQuery)
  return (
    <>
      <header className={classes.header}>
        {isPending ? <div className={classes.bar} /> : <NavigationBar user={data?.user ?? null} />}
      </header>
      <main id="main" tabIndex={-1} className={classes.main}>
        <Outlet />
      </main>
      <Notices />
    </>
  )
}

function NavigationBar({ user }: { user: User | null }) {
  switch (user?.role) {
    case 'admin':
      return (
        <Bar brandTo={paths.fine()} end={<Logout />}>
          <NavItem to={paths.home()}>{t('app.nav.home')}</NavItem>
          <NavItem to={paths.books()}>{t('app.nav.update')}</NavItem>
          <NavItem to={paths.deleteBooks()}>{t('app.nav.delete')}</NavItem>
          <NavItem to={paths.toShelve()}>{t('app.nav.toShelve')}</NavItem>
          <NavItem to={paths.activity()}>{t('app.nav.activity')}</NavItem>
          <NavItem to={paths.settings()}>{t('app.nav.settings')}</NavItem>
        </Bar>
      )
    case 'student':
      return (
        <Bar brandTo={paths.studentHome()} end={<Logout />}>
          <NavItem to={paths.studentHome()}>{t('app.nav.home')}</NavItem>
          <NavItem to={paths.profile()}>{t('app.nav.profile')}</NavItem>
        </Bar>
      )
    case undefined:
      return <VisitorBar />
  }
}

function VisitorBar() {
  const { pathname, search } = useLocation()
  return (
    <Bar
      brandTo={paths.login()}
      end={
        <Button component={Link} to={paths.login(pathname + search)} variant="default" size="sm">
          {t('app.nav.signIn')}
        </Button>
      }
    >
      <NavItem to={paths.register()}>{t('app.nav.register')}</NavItem>
    </Bar>
  )
}

function Bar({ brandTo, children, end }: { brandTo: string; children: ReactNode; end: ReactNode }) {
  return (
    <nav className={classes.bar} aria-label={t('app.nav.label')}>
      <Link to={brandTo} className={classes.brand}>
        <LogoMark />
        My Library
      </Link>
      <div className={classes.links}>{children}</div>
      <div className={classes.end}>
        <ActionIcon
          variant="subtle"
          color="gray"
          size={36}
          aria-label={t('app.nav.help')}
          className={classes.help}
          onClick={showKeyboardHelp}
        >
          <HelpIcon />
        </ActionIcon>
        <LanguageSwitch />
        <SchemeSwitch />
        {end}
      </div>
    </nav>
  )
}

function NavItem({ to, children }: { to: string; children: ReactNode }) {
  return (
    <NavLink to={to} className={classes.link} end>
      {children}
    </NavLink>
  )
}

function SchemeSwitch() {
  const { setColorScheme } = useMantineColorScheme()
  const dark = useComputedColorScheme('light') === 'dark'
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size={36}
      aria-label={dark ? t('app.nav.toLight') : t('app.nav.toDark')}
      onClick={() => setColorScheme(dark ? 'light' : 'dark')}
    >
      {dark ? <SunIcon /> : <MoonIcon />}
    </ActionIcon>
  )
}

function Logout() {
  const signOut = useAction(signOutAction, { failed: () => t('app.signOutFailed') })
  const queries = useQueryClient()
  const navigate = useNavigate()

  async function leave() {
    const { ok } = await signOut.run(null)
    if (!ok) return
    await navigate(paths.login(), { replace: true })
    forgetPerson(queries)
  }

  return (
    <Button variant="default" size="sm" loading={signOut.pending} onClick={() => void leave()}>
      {t('app.nav.logout')}
    </Button>
  )
}
