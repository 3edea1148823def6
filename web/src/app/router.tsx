import type { LoaderFunction, RouteObject } from 'react-router'
import { configQuery } from '../api/config'
import { queryClient } from '../api/queryClient'
import { loadChunk } from '../lib/chunks'
import { loadWords } from '../lib/messages'
import type { Screen } from '../lib/screen'
import { screens } from '../screens'
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

const GUARDS: Readonly<Record<NonNullable<Screen['guard']>, LoaderFunction>> = {
  'stored-student': requireStoredStudent,
  'own-detail': leadAdminToOwnDetail,
}

/** The check of a screen beyond that of its role. */
function guardOf({ guard, may, for: whom }: Screen): LoaderFunction | undefined {
  if (guard) return GUARDS[guard]
  if (whom === 'person') return requirePerson
  return may && requireMay(may)
}

/** The screens that say no more than the first messages. */
const SIGN_IN: ReadonlySet<string> = new Set([screens.base.path, screens.login.path, screens.library.path])

/** Names a chunk in messages: `update` for `/update/:id`. */
const chunkOf = (path: string): string => (SIGN_IN.has(path) ? 'sign-in' : path.slice(1).replace('/:id', ''))

/** The code of a screen, when its words are there too. */
const withWords = async ({ load, words = [] }: Screen) => (await Promise.all([load(), loadWords(...words)]))[0]

/** The routes of the screens that `are` accepts. */
function routesOf(are: (screen: Screen) => boolean): RouteObject[] {
  const all: readonly Screen[] = Object.values(screens)
  return all.filter(are).map((screen) => {
    const { path } = screen
    return {
      path,
      loader: guardOf(screen),
      lazy: async () => ({ Component: (await loadChunk(chunkOf(path), () => withWords(screen))).default }),
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
      ...routesOf(({ for: whom }) => whom === 'visitor'),
      {
        // Inside the navigation bar: it stays while the screen changes, also to one that fails.
        lazy: async () => {
          const [{ Shell }] = await Promise.all([
            loadChunk('shell', () => import('./Shell')),
            loadWords('common', 'frame'),
          ])
          return { Component: Shell }
        },
        loader: learnCurrency,
        children: [
          {
            ErrorBoundary: ErrorInFrame,
            children: [
              { loader: requireAdmin, children: routesOf(({ for: whom }) => whom === 'admin') },
              { loader: requireStudent, children: routesOf(({ for: whom, guard }) => whom === 'student' && !guard) },
              ...routesOf(
                ({ for: whom, guard }) => whom === 'everybody' || whom === 'person' || (whom === 'student' && !!guard),
              ),
            ],
          },
        ],
      },
    ],
  },
]
