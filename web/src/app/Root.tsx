import { lazy, Suspense } from 'react'
import { Outlet, ScrollRestoration } from 'react-router'
import { Boundary } from '../ui/Boundary'
import { loadChunk } from '../lib/chunks'
import classes from './Root.module.css'
import { useRouteFocus } from './routeFocus'
import { useShortcuts } from './shortcuts'
import { t } from '../lib/messages'
import { useOnePerson } from './useOnePerson'

const KeyboardHelp = lazy(() => loadChunk('keyboard-help', () => import('./KeyboardHelp')))

export function Root() {
  useRouteFocus()
  const help = useShortcuts()
  useOnePerson()

  return (
    <>
      <a className={classes.skip} href="#main">
        {t('app.skip')}
      </a>
      <Outlet />
      {/* A list is found again where it was left, whichever link leads back to it. */}
      <ScrollRestoration getKey={({ pathname, search }) => pathname + search} />
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
