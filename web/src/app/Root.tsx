import { useEffect, useLayoutEffect, useRef } from 'react'
import { Outlet, ScrollRestoration, useLocation } from 'react-router'
import { Chunk, lazyChunk } from '../lib/lazyChunk'
import classes from './Root.module.css'
import { useRouteFocus } from './routeFocus'
import { finishPreloader } from './preloader'
import { useShortcuts } from './shortcuts'
import { loadWords, t } from '../lib/messages'
import { belowBase } from '../lib/paths'
import { screenAt } from '../screens'
import { useOnePerson } from './useOnePerson'

const KeyboardHelp = lazyChunk('keyboard-help', async () => {
  const [help] = await Promise.all([import('./KeyboardHelp'), loadWords('common', 'frame')])
  return help
})

export function Root() {
  useRouteFocus()
  const help = useShortcuts()
  useOnePerson()
  // Rendered together with the first screen, after its code and guards have loaded.
  useEffect(finishPreloader, [])

  return (
    <>
      <a className={classes.skip} href="#main">
        {t('app.skip')}
      </a>
      <Outlet />
      {/* Lists keep their scroll position for every link back; other screens keep it only for Back. The router gives all
      typed addresses the same key. */}
      <ScrollRestoration
        getKey={({ pathname, search, key }) => pathname + search + (screenAt(belowBase(pathname))?.list ? '' : key)}
      />
      <NotifyScrolled />
      {help.opened && (
        <Chunk part={KeyboardHelp} onFailed={help.close}>
          <KeyboardHelp onClose={help.close} />
        </Chunk>
      )}
    </>
  )
}

/** A virtual list needs the new scroll position at once; the browser's own scroll event comes too late. */
function NotifyScrolled() {
  const { key } = useLocation()
  const lastKey = useRef('')
  useLayoutEffect(() => {
    if (lastKey.current === key) return
    lastKey.current = key
    window.dispatchEvent(new Event('scroll'))
  }, [key])
  return null
}
