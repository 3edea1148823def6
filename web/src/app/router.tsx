import type { ComponentType } from 'react'
import { Outlet, type LoaderFunction, type RouteObject } from 'react-router'
import { loadChunk } from '../lib/chunks'
import { ErrorScreen } from './ErrorScreen'
import { loadRest } from '../lib/messages'
import { patterns } from '../lib/paths'
import { Root } from './Root'
import { leadAdminToOwnDetail, requireAdmin, requireStoredStudent, requireStudent } from './guards'

type Screen = { default: ComponentType }

/** A screen in a chunk of its own; `chunk` is the name that is said when it cannot be loaded. */
function screen(path: string, chunk: string, load: () => Promise<Screen>, loader?: LoaderFunction): RouteObject {
  return {
    path,
    ...(loader && { loader }),
    lazy: async () => ({ Component: (await loadChunk(chunk, load)).default }),
  }
}

/** Screens inside the navigation bar: it stays while the content changes. */
const shell: RouteObject = {
  lazy: async () => {
    const [{ Shell }] = await Promise.all([loadChunk('shell', () => import('./Shell')), loadRest()])
    return { Component: Shell }
  },
}

const signIn = () => import('../features/account/SignInScreen')

export const routes: RouteObject[] = [
  {
    Component: Root,
    ErrorBoundary: ErrorScreen,
    // The preloader of index.html stands there meanwhile.
    HydrateFallback: () => null,
    children: [
      screen(patterns.base, 'sign-in', signIn),
      screen(patterns.login, 'sign-in', signIn),
      screen(patterns.library, 'sign-in', signIn),
      screen(patterns.register, 'register', () => import('../features/account/RegisterScreen')),
      {
        ...shell,
        children: [
          {
            loader: requireAdmin,
            Component: Outlet,
            children: [
              screen(patterns.home, 'home', () => import('../features/books/lists/AdminHomeScreen')),
              screen(patterns.books, 'books', () => import('../features/books/lists/BooksScreen')),
              screen(patterns.deleteBooks, 'delete', () => import('../features/books/lists/DeleteBooksScreen')),
              screen(patterns.addBook, 'add', () => import('../features/books/edit/AddBookScreen')),
              screen(patterns.updateBook, 'update', () => import('../features/books/edit/UpdateBookScreen')),
              screen(patterns.bookDetail, 'book-detail', () => import('../features/books/detail/BookDetailScreen')),
              screen(patterns.toShelve, 'to-shelve', () => import('../features/copies/ToShelveScreen')),
              screen(patterns.settings, 'settings', () => import('../features/settings/SettingsScreen')),
              screen(patterns.activity, 'activity', () => import('../features/activity/ActivityScreen')),
              screen(patterns.fine, 'fine', () => import('../features/loans/LoansScreen')),
            ],
          },
          screen(
            patterns.studentHome,
            'student-home',
            () => import('../features/books/lists/StudentHomeScreen'),
            requireStoredStudent,
          ),
          screen(
            patterns.studentBookDetail,
            'stubook-detail',
            () => import('../features/books/detail/StudentBookDetailScreen'),
            leadAdminToOwnDetail,
          ),
          screen(patterns.newHome, 'new-home', () => import('../features/books/lists/PopularScreen')),
          {
            loader: requireStudent,
            Component: Outlet,
            children: [screen(patterns.profile, 'profile', () => import('../features/profile/ProfileScreen'))],
          },
        ],
      },
    ],
  },
]
