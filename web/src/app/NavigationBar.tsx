import { ActionIcon, Badge, Button, useComputedColorScheme, useMantineColorScheme } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { Fragment } from 'react'
import { Link, NavLink, useLocation } from 'react-router'
import { useLibraryName } from '../api/config'
import { readyCountQuery } from '../api/holds'
import { overdueQuery } from '../api/loans'
import type { User } from '../api/types'
import { lazyChunk, Chunk } from '../lib/lazyChunk'
import { numberText } from '../lib/format'
import { t } from '../lib/messages'
import type { Screen } from '../lib/screen'
import { homeOf, paths, screens, screensOf } from '../screens'
import { ChevronDown, Moon, Search, Sun } from 'lucide-react'
import { LogoMark } from '../ui/LogoMark'
import { LanguageSwitch } from '../ui/LanguageSwitch'
import { LateMenu } from './LateMenu'
import { Logout, PersonMenu } from './PersonMenu'
import classes from './Shell.module.css'

const NoticesBell = lazyChunk('bell', () => import('./NoticesBell'))

type NavigationBarProps = {
  user: User | null
  /** True while the user must set up a second factor before other screens open. */
  enrolling: boolean
  /** Number of unread notices. */
  unread: number
  onSearch: () => void
}

/** Links, the person's menu, and sign-out (R-HOME-1, R-STU-1). */
export function NavigationBar({ user, enrolling, unread, onSearch }: NavigationBarProps) {
  const role = user?.role ?? null
  const links = enrolling ? [] : screensOf(user)
  const isWide = useMediaQuery('(min-width: 80em)', true, { getInitialValueInEffect: false })
  // On narrower screens the count would break the bar into two lines.
  const hasRoom = useMediaQuery('(min-width: 90em)', true, { getInitialValueInEffect: false })
  const more = links.filter(({ place }) => place === 'more' || (place === 'wide' && !isWide))
  const { pathname, search } = useLocation()
  const name = useLibraryName()
  // A student's home has a search box of its own (N31).
  const hasBox = role === 'student' && pathname === brandTo(user)

  return (
    <nav className={classes.bar} aria-label={t('app.nav.label')} data-for={role ?? 'visitor'}>
      <Link to={brandTo(user)} className={classes.brand}>
        <LogoMark />
        <span className={classes.names}>
          My Library
          {name !== '' && (
            <span className={classes.name} dir="auto" title={name}>
              {name}
            </span>
          )}
        </span>
      </Link>
      <div className={classes.links}>
        {links
          .filter(({ place }) => place === 'bar' || (place === 'wide' && isWide))
          .map((screen) => (
            <Fragment key={screen.path}>
              <BarLink screen={screen} />
              {screen.path === screens.fine.path && <Overdue />}
              {screen.path === screens.holds.path && hasRoom && <Ready />}
            </Fragment>
          ))}
        {role === null && <BarLink screen={screens.register} />}
        {more.length > 0 && <More links={more} />}
      </div>
      <div className={classes.end}>
        {!enrolling && !hasBox && (
          <ActionIcon
            variant="subtle"
            color="gray"
            size={36}
            aria-label={t('app.nav.search')}
            aria-keyshortcuts="Control+K Meta+K"
            className={classes.palette}
            onClick={onSearch}
          >
            <Search />
          </ActionIcon>
        )}
        {user ? (
          <>
            {!enrolling && (
              <span className={classes.bell}>
                <Chunk part={NoticesBell}>
                  <NoticesBell unread={unread} />
                </Chunk>
              </span>
            )}
            <PersonMenu user={user} />
            <Logout />
          </>
        ) : (
          <>
            <LanguageSwitch />
            <SchemeSwitch />
            <Button component={Link} to={paths.login(pathname + search)} variant="default" size="sm">
              {t('app.nav.signIn')}
            </Button>
          </>
        )}
      </div>
    </nav>
  )
}

/** Returns the address that the brand links to: for a librarian the borrowed books, as specified. */
export function brandTo(user: Pick<User, 'role'> | null): string {
  if (!user) return paths.login()
  return user.role === 'admin' ? paths.fine() : homeOf(user.role)
}

export function BarLink({ screen }: { screen: Screen }) {
  return (
    <NavLink to={screen.path} className={classes.link} end>
      {screen.label && t(screen.label)}
    </NavLink>
  )
}

/** Link to the overdue loans, with their number. */
function Overdue() {
  const count = useQuery(overdueQuery).data
  if (!count) return null
  return <Count to={`${paths.fine()}?due=overdue`} color="red" text={t('app.nav.overdue', { count })} />
}

/** Link to the copies kept for readers, with their number (L25). */
function Ready() {
  const count = useQuery(readyCountQuery).data
  if (!count) return null
  // The bar has room for the number only.
  return <Count to={paths.holds()} color="teal" text={numberText(count)} label={t('app.nav.ready', { count })} />
}

type CountProps = { to: string; color: string; text: string; label?: string }

function Count({ to, color, text, label }: CountProps) {
  return (
    <Link to={to} className={classes.count} aria-label={label} title={label}>
      <Badge color={color} size="sm">
        {text}
      </Badge>
    </Link>
  )
}

const MoreList = lazyChunk('more-list', () => import('./MoreList'))

/** Links to less frequent screens. */
function More({ links }: { links: readonly Screen[] }) {
  const { pathname } = useLocation()
  return (
    <LateMenu
      part={MoreList}
      target={
        <button
          type="button"
          className={classes.link}
          data-current={links.some(({ path }) => path === pathname) || undefined}
        >
          {t('app.nav.more')}
          <ChevronDown data-size="16" />
        </button>
      }
    >
      {(menu) => <MoreList menu={menu} links={links} />}
    </LateMenu>
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
      {dark ? <Sun /> : <Moon />}
    </ActionIcon>
  )
}
