import type { Capability, Role, User } from '../api/types'
import type { PlainKey } from './messages'

/**
 * Whom a screen is for. `visitor`: of no use to whoever is signed in; the address is open to all the same. `person`:
 * whoever is signed in.
 */
type Audience = 'everybody' | 'visitor' | 'person' | Role

export type ScreenInfo = {
  /** Below the base path, as the router reads it. */
  path: `/${string}`
  for: Audience
  /** What a link to it says; a screen without one is reached from others, with an id. */
  label?: PlainKey
  /** What a librarian must be allowed to do to use it. */
  may?: Capability
  icon?: IconName
  /** Where its link stands: in the navigation bar, in the bar's group `More`, or only in the palette. */
  place?: 'bar' | 'more'
  /** A list is found again where it was left, whichever link leads back to it; other screens begin at their top. */
  list?: true
}

export type IconName =
  | 'desk'
  | 'home'
  | 'loans'
  | 'edit'
  | 'delete'
  | 'add'
  | 'profile'
  | 'popular'
  | 'signIn'
  | 'register'
  | 'toShelve'
  | 'settings'
  | 'activity'
  | 'people'
  | 'holds'
  | 'money'
  | 'security'

/**
 * Every screen, once: the router, the navigation bar, the palette and the keyboard help read this table, and a test
 * compares it with the server's list of addresses. The order is that of the links.
 */
export const screens = {
  base: { path: '/', for: 'visitor' },
  login: { path: '/login', for: 'visitor', label: 'app.nav.signIn', icon: 'signIn' },
  library: { path: '/library', for: 'visitor' },
  register: { path: '/register', for: 'visitor', label: 'app.nav.register', icon: 'register' },
  phone: { path: '/phone', for: 'visitor' },
  desk: { path: '/desk', for: 'admin', may: 'desk', label: 'app.nav.desk', icon: 'desk', place: 'bar' },
  deskToday: { path: '/desk/today', for: 'admin', may: 'desk', label: 'desk.today.title', icon: 'desk' },
  redeem: { path: '/redeem', for: 'visitor' },
  home: { path: '/home', for: 'admin', label: 'app.nav.home', icon: 'home', place: 'bar', list: true },
  fine: { path: '/fine', for: 'admin', label: 'app.nav.loans', icon: 'loans', place: 'bar', list: true },
  books: {
    path: '/books',
    for: 'admin',
    may: 'catalogue',
    label: 'app.nav.update',
    icon: 'edit',
    place: 'bar',
    list: true,
  },
  deleteBooks: {
    path: '/delete',
    for: 'admin',
    may: 'catalogue',
    label: 'app.nav.delete',
    icon: 'delete',
    place: 'bar',
    list: true,
  },
  addBook: { path: '/add', for: 'admin', may: 'catalogue', label: 'books.add', icon: 'add' },
  updateBook: { path: '/update/:id', for: 'admin', may: 'catalogue' },
  bookDetail: { path: '/book-detail/:id', for: 'admin' },
  people: { path: '/people', for: 'admin', label: 'app.nav.people', icon: 'people', place: 'more', list: true },
  person: { path: '/people/:id', for: 'admin' },
  holds: { path: '/holds', for: 'admin', label: 'app.nav.holds', icon: 'holds', place: 'more' },
  money: { path: '/money', for: 'admin', may: 'money', label: 'app.nav.money', icon: 'money', place: 'more' },
  promote: { path: '/promote', for: 'admin', may: 'people' },
  noDues: { path: '/no-dues/:id', for: 'everybody' },
  importPeople: { path: '/import-people', for: 'admin', may: 'people' },
  receipt: { path: '/receipt/:id', for: 'admin' },
  toShelve: {
    path: '/to-shelve',
    for: 'admin',
    may: 'desk',
    label: 'app.nav.toShelve',
    icon: 'toShelve',
    place: 'more',
  },
  activity: { path: '/activity', for: 'admin', label: 'app.nav.activity', icon: 'activity', place: 'more' },
  settings: {
    path: '/settings',
    for: 'admin',
    may: 'settings',
    label: 'app.nav.settings',
    icon: 'settings',
    place: 'more',
  },
  studentHome: {
    path: '/student-home',
    for: 'student',
    label: 'app.nav.home',
    icon: 'home',
    place: 'bar',
    list: true,
  },
  profile: { path: '/profile', for: 'student', label: 'app.nav.profile', icon: 'profile', place: 'bar' },
  security: { path: '/security', for: 'person', label: 'security.title', icon: 'security' },
  studentBookDetail: { path: '/stubook-detail/:id', for: 'everybody' },
  newHome: { path: '/new-home', for: 'everybody', label: 'books.popular.title', icon: 'popular' },
} as const satisfies Record<string, ScreenInfo>

export type ScreenName = keyof typeof screens

const all: readonly ScreenInfo[] = Object.values(screens)

/** The screens that a person may go to by a link of their own, in order. */
export const screensOf = (person: Pick<User, 'role' | 'capabilities'> | null): readonly ScreenInfo[] =>
  all.filter(
    ({ label, for: whom, may }) =>
      label !== undefined &&
      (whom === 'everybody' || whom === (person?.role ?? 'visitor') || (whom === 'person' && person !== null)) &&
      (may === undefined || (person?.capabilities.includes(may) ?? false)),
  )

/** The screen that a path below the base belongs to. */
export function screenAt(path: string): ScreenInfo | undefined {
  const [, first = '', id] = path.split('/')
  return all.find((screen) => screen.path === (id === undefined ? `/${first}` : `/${first}/:id`))
}
