import type { Role } from '../api/types'
import { screens } from './screens'

/** Where the product lies on its host; all addresses here are below it. */
export const BASE_PATH = '/library'

/** Addresses to link to. */
export const paths = {
  /** Sign in, and afterwards return to `next` (a path below the base). */
  login: (next?: string) => (next ? `${screens.login.path}?next=${encodeURIComponent(next)}` : screens.login.path),
  register: () => screens.register.path,
  desk: () => screens.desk.path,
  redeem: () => screens.redeem.path,
  home: () => screens.home.path,
  fine: () => screens.fine.path,
  books: () => screens.books.path,
  deleteBooks: () => screens.deleteBooks.path,
  addBook: () => screens.addBook.path,
  updateBook: (id: number) => `/update/${id}`,
  bookDetail: (id: number) => `/book-detail/${id}`,
  people: () => screens.people.path,
  promote: () => screens.promote.path,
  noDues: (number: string) => `/no-dues/${number}`,
  importPeople: () => screens.importPeople.path,
  person: (uid: number) => `/people/${uid}`,
  deskToday: () => screens.deskToday.path,
  holds: () => screens.holds.path,
  money: () => screens.money.path,
  /** Right after the payment; whoever opens it later prints a copy. */
  receipt: (number: string) => `/receipt/${number.replace('/', '-')}?original`,
  receiptCopy: (number: string) => `/receipt/${number.replace('/', '-')}`,
  toShelve: () => screens.toShelve.path,
  settings: () => screens.settings.path,
  activity: () => screens.activity.path,
  studentHome: () => screens.studentHome.path,
  profile: () => screens.profile.path,
  security: () => screens.security.path,
  studentBookDetail: (id: number) => `/stubook-detail/${id}`,
  newHome: () => screens.newHome.path,
} as const

/** The number of a receipt, from its address: there its last part comes after a hyphen, not a slash. */
export const numberOfReceipt = (id: string): string => id.replace(/-(\d+)$/, '/$1')

/** What the sign-in screen is told by whoever leads to it: an address from the registration, or that a session ended. */
export type CameFrom = { email?: string; sessionEnded?: true }

/** The path below the base, as links and `next` use it. */
export function belowBase(pathname: string): string {
  return pathname.startsWith(`${BASE_PATH}/`) ? pathname.slice(BASE_PATH.length) : pathname
}

/** A return path out of the address bar, only if it stays inside the product. */
export function safeNext(next: string | null): string | null {
  return next !== null && /^\/(?![/\\])/.test(next) ? next : null
}

/** The id in a route such as `/update/:id`; null when it cannot be one. */
export function idOf(param: string | undefined): number | null {
  return param !== undefined && /^[1-9]\d{0,15}$/.test(param) ? Number(param) : null
}

/** Where a person begins. */
export const homeOf = (role: Role): string => (role === 'admin' ? paths.home() : paths.studentHome())
