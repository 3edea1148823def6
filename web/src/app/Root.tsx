import { lazy, Suspense, useEffect } from 'react'
import { Outlet, ScrollRestoration } from 'react-router'
import { Boundary } from '../ui/Boundary'
import { loadChunk } from '../lib/chunks'
import classes from './Root.module.css'
import { useRouteFocus } from './routeFocus'
import { useShortcuts } from './shortcuts'
import { t } from '../lib/messages'
import { storedRole } from '../lib/storage'

const Toasts = lazy(() => loadChunk('notices', () => import('../lib/Toasts')))
const KeyboardHelp = lazy(() => loadChunk('keyboard-help', () => import('./KeyboardHelp')))

export function Root() {
  useRouteFocus()
  const help = useShortcuts()
  // Somebody signed out or in on another tab: nothing of the person before stays on this one.
  useEffect(() => storedRole.onChangeElsewhere(() => window.location.reload()), [])

  return (
    <>
      <a className={classes.skip} href="#main">
        {t('app.skip')}
      </a>
      <Outlet />
      {/* A list is found again where it was left, whichever link leads back to it. */}
      <ScrollRestoration getKey={({ pathname, search }) => pathname + search} />
      <Boundary>
        <Suspense>
          <Toasts />
        </Suspense>
      </Boundary>
      {help.opened && (
        <Boundary>
          <Suspense>
            <KeyboardHelp onClose={help.close} />
          </Suspense>
        </Boundary>
      )}
    </>
  )
}
