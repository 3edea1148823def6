import type { Role } from '../api/types'

/** The only place that knows the addresses of the screens (below the base path). */
export const BASE_PATH = '/library'

/** Route patterns as the router reads them. */
export const patterns = {
  base: '/',
  login: '/login',
  library: '/library',
  register: '/register',
  home: '/home',
  fine: '/fine',
  books: '/books',
  deleteBooks: '/delete',
  addBook: '/add',
  updateBook: '/update/:id',
  bookDetail: '/book-detail/:id',
  toShelve: '/to-shelve',
  settings: '/settings',
  activity: '/activity',
  studentHome: '/student-home',
  profile: '/profile',
  studentBookDetail: '/stubook-detail/:id',
  newHome: '/new-home',
} as const

/** Addresses to link to. */
export const paths = {
  /** Sign in, and afterwards return to `next` (a path below the base). */
  login: (next?: string) => (next ? `${patterns.login}?next=${encodeURIComponent(next)}` : patterns.login),
  register: () => patterns.register,
  home: () => patterns.home,
  fine: () => patterns.fine,
  books: () => patterns.books,
  deleteBooks: () => patterns.deleteBooks,
  addBook: () => patterns.addBook,
  updateBook: (id: number) => `/update/${id}`,
  bookDetail: (id: number) => `/book-detail/${id}`,
  toShelve: () => patterns.toShelve,
  settings: () => patterns.settings,
  activity: () => patterns.activity,
  studentHome: () => patterns.studentHome,
  profile: () => patterns.profile,
  studentBookDetail: (id: number) => `/stubook-detail/${id}`,
  newHome: () => patterns.newHome,
} as const

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
