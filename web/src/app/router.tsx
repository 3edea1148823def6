import type { ComponentType } from 'react'
import type { LoaderFunction, RouteObject } from 'react-router'
import { configQuery } from '../api/config'
import { queryClient } from '../api/queryClient'
import { loadChunk } from '../lib/chunks'
import { loadRest } from '../lib/messages'
import { screens, type ScreenInfo, type ScreenName } from '../lib/screens'
import { ErrorScreen, ErrorInFrame } from './ErrorScreen'
import {
  leadAdminToOwnDetail,
  requireAdmin,
  requireMay,
  requirePerson,
  requireStoredStudent,
  requireStudent,
} from './guards'
import { Root } from './Root'

type Part = {
  /** The name that is said when it cannot be loaded. */
  chunk: string
  load: () => Promise<{ default: ComponentType }>
  /** Where more decides than whom the screen is for. */
  guard?: LoaderFunction
}

const signIn = { chunk: 'sign-in', load: () => import('../features/account/SignInScreen') }

/** A screen in front of the sign-in that says more than the first messages. */
const withMessages =
  <Screen,>(load: () => Promise<Screen>) =>
  async (): Promise<Screen> => {
    const [screen] = await Promise.all([load(), loadRest()])
    return screen
  }

/** The code of every screen, each in a chunk of its own. */
const parts: Record<ScreenName, Part> = {
  base: signIn,
  login: signIn,
  library: signIn,
  register: { chunk: 'register', load: withMessages(() => import('../features/account/RegisterScreen')) },
  phone: { chunk: 'phone', load: withMessages(() => import('../features/phone/PhoneScreen')) },
  desk: { chunk: 'desk', load: () => import('../features/desk/DeskScreen') },
  redeem: { chunk: 'redeem', load: withMessages(() => import('../features/account/RedeemScreen')) },
  home: { chunk: 'home', load: () => import('../features/books/lists/AdminHomeScreen') },
  fine: { chunk: 'fine', load: () => import('../features/loans/LoansScreen') },
  books: { chunk: 'books', load: () => import('../features/books/lists/BooksScreen') },
  deleteBooks: { chunk: 'delete', load: () => import('../features/books/lists/DeleteBooksScreen') },
  addBook: { chunk: 'add', load: () => import('../features/books/edit/AddBookScreen') },
  updateBook: { chunk: 'update', load: () => import('../features/books/edit/UpdateBookScreen') },
  bookDetail: { chunk: 'book-detail', load: () => import('../features/books/detail/BookDetailScreen') },
  people: { chunk: 'people', load: () => import('../features/people/PeopleScreen') },
  promote: { chunk: 'promote', load: () => import('../features/people/PromoteScreen') },
  noDues: { chunk: 'no-dues', load: () => import('../features/people/NoDuesScreen') },
  importPeople: { chunk: 'import-people', load: () => import('../features/people/ImportScreen') },
  person: { chunk: 'person', load: () => import('../features/people/PersonScreen') },
  holds: { chunk: 'holds', load: () => import('../features/holds/HoldsScreen') },
  money: { chunk: 'money', load: () => import('../features/money/MoneyScreen') },
  deskToday: { chunk: 'today', load: () => import('../features/desk/TodayScreen') },
  receipt: { chunk: 'receipt', load: () => import('../features/money/ReceiptScreen') },
  toShelve: { chunk: 'to-shelve', load: () => import('../features/copies/ToShelveScreen') },
  settings: { chunk: 'settings', load: () => import('../features/settings/SettingsScreen') },
  activity: { chunk: 'activity', load: () => import('../features/activity/ActivityScreen') },
  studentHome: {
    chunk: 'student-home',
    load: () => import('../features/books/lists/StudentHomeScreen'),
    guard: requireStoredStudent,
  },
  security: {
    chunk: 'security',
    load: () => import('../features/security/SecurityScreen'),
    guard: requirePerson,
  },
  profile: { chunk: 'profile', load: () => import('../features/profile/ProfileScreen') },
  studentBookDetail: {
    chunk: 'stubook-detail',
    load: () => import('../features/books/detail/StudentBookDetailScreen'),
    guard: leadAdminToOwnDetail,
  },
  newHome: { chunk: 'new-home', load: () => import('../features/books/lists/PopularScreen') },
}

/** The routes of the screens that `are` holds for. */
function routesOf(are: (screen: { for: string }, guarded: boolean) => boolean): RouteObject[] {
  const names = Object.keys(screens) as ScreenName[]
  return names
    .filter((name) => are(screens[name], parts[name].guard !== undefined))
    .map((name) => {
      const { chunk, load, guard } = parts[name]
      const { path, may }: ScreenInfo = screens[name]
      return {
        path,
        loader: guard ?? (may && requireMay(may)),
        lazy: async () => ({ Component: (await loadChunk(chunk, load)).default }),
      }
    })
}

/** Amounts are written in the library's currency; without an answer it is the usual one. */
async function learnCurrency(): Promise<null> {
  await queryClient.ensureQueryData(configQuery).catch(() => null)
  return null
}

export const routes: RouteObject[] = [
  {
    Component: Root,
    ErrorBoundary: ErrorScreen,
    // The preloader of index.html stands there meanwhile.
    HydrateFallback: () => null,
    children: [
      ...routesOf((screen) => screen.for === 'visitor'),
      {
        // Inside the navigation bar: it stays while the screen changes, also to one that fails.
        lazy: async () => {
          const [{ Shell }] = await Promise.all([loadChunk('shell', () => import('./Shell')), loadRest()])
          return { Component: Shell }
        },
        loader: learnCurrency,
        children: [
          {
            ErrorBoundary: ErrorInFrame,
            children: [
              { loader: requireAdmin, children: routesOf((screen) => screen.for === 'admin') },
              {
                loader: requireStudent,
                children: routesOf((screen, guarded) => screen.for === 'student' && !guarded),
              },
              ...routesOf((screen, guarded) => guarded || screen.for === 'everybody'),
            ],
          },
        ],
      },
    ],
  },
]
