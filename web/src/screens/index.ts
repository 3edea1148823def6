import { matchPath } from 'react-router'
import type { Role, User } from '../api/types'
import { screens as account } from '../features/account/screens'
import { screens as activity } from '../features/activity/screens'
import { screens as books } from '../features/books/screens'
import { screens as copies } from '../features/copies/screens'
import { screens as desk } from '../features/desk/screens'
import { screens as holds } from '../features/holds/screens'
import { screens as imports } from '../features/imports/screens'
import { screens as labels } from '../features/labels/screens'
import { screens as loans } from '../features/loans/screens'
import { screens as mails } from '../features/mails/screens'
import { screens as money } from '../features/money/screens'
import { screens as notices } from '../features/notices/screens'
import { screens as people } from '../features/people/screens'
import { screens as phone } from '../features/phone/screens'
import { screens as profile } from '../features/profile/screens'
import { screens as security } from '../features/security/screens'
import { screens as settings } from '../features/settings/screens'
import type { Screen } from '../lib/screen'

/**
 * Every screen by name, collected from the features. The router, the navigation bar, the palette, the keyboard help and
 * `paths` use it; a test compares it with the server's list of addresses.
 */
export const screens = {
  ...account,
  ...activity,
  ...books,
  ...copies,
  ...desk,
  ...holds,
  ...imports,
  ...labels,
  ...loans,
  ...mails,
  ...money,
  ...notices,
  ...people,
  ...phone,
  ...profile,
  ...security,
  ...settings,
}

export type ScreenName = keyof typeof screens

const all: readonly Screen[] = Object.values(screens)
const links = all.filter(({ label }) => label !== undefined).toSorted((a, b) => (a.at ?? 0) - (b.at ?? 0))

/** Returns the screens with a link for this person, in order. */
export const screensOf = (person: Pick<User, 'role' | 'capabilities'> | null): readonly Screen[] =>
  links.filter(
    ({ for: whom, may }) =>
      (whom === 'everybody' || whom === (person?.role ?? 'visitor') || (whom === 'person' && person !== null)) &&
      (may === undefined || (person?.capabilities.includes(may) ?? false)),
  )

/** Returns the screen of a path below the base. */
export function screenAt(path: string): Screen | undefined {
  return all.find((screen) => screen.path === path) ?? all.find((screen) => matchPath(screen.path, path) !== null)
}

type Paths = {
  [Name in ScreenName]: (typeof screens)[Name]['path'] extends `${string}:id`
    ? (id: number | string) => string
    : () => string
}

/** Addresses to link to, by screen. */
export const paths = {
  ...(Object.fromEntries(
    Object.entries(screens).map(([name, { path }]) => [
      name,
      (id: number | string = '') => path.replace(':id', String(id)),
    ]),
  ) as Paths),
  /** Address of sign-in, which continues to `next` (a path below the base). */
  login: (next?: string) => (next ? `${screens.login.path}?next=${encodeURIComponent(next)}` : screens.login.path),
  /** Address of a receipt, whose number has a slash before the last part. */
  receipt: (number: string) => `/receipt/${number.replace('/', '-')}`,
}

/** Returns the first screen after sign-in. */
export const homeOf = (role: Role): string => (role === 'admin' ? paths.home() : paths.studentHome())
