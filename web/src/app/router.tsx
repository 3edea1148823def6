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

/** Returns the guard of a screen besides the check of its role. */
function guardOf({ guard, may, for: whom }: Screen): LoaderFunction | undefined {
  if (guard) return GUARDS[guard]
  if (whom === 'person') return requirePerson
  return may && requireMay(may)
}

/** Screens whose texts are in the message part `first`. */
const SIGN_IN: ReadonlySet<string> = new Set([screens.base.path, screens.login.path, screens.library.path])

/** Names a chunk for error messages: `update` for `/update/:id`. */
const chunkOf = (path: string): string => (SIGN_IN.has(path) ? 'sign-in' : path.slice(1).replace('/:id', ''))

/** Loads a screen's code and its messages. */
const withWords = async ({ load, words = [] }: Screen) => (await Promise.all([load(), loadWords(...words)]))[0]

/** Builds the routes of the selected screens. */
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

/** Loads the library's currency; without an answer the default stays. */
async function learnCurrency(): Promise<null> {
  await queryClient.ensureQueryData(configQuery).catch(() => null)
  return null
}

export const routes: RouteObject[] = [
  {
    Component: Root,
    ErrorBoundary: ErrorScreen,
    // The preloader of index.html is shown meanwhile.
    HydrateFallback: () => null,
    children: [
      ...routesOf(({ for: whom }) => whom === 'visitor'),
      {
        // Inside the frame, which stays on the page while the screen changes or fails.
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
