import { useEffect, useRef } from 'react'
import { useLocation } from 'react-router'
import { focusHeading } from '../lib/focus'

const GIVE_UP_MS = 10_000

/** Focuses the heading after each navigation, so that keyboard and screen reader begin there. */
export function useRouteFocus(): void {
  const { pathname } = useLocation()
  const last = useRef(pathname)

  useEffect(() => {
    if (last.current === pathname) return
    last.current = pathname

    if (focusHeading()) return

    // A book's heading is its title, which arrives with the data.
    const watcher = new MutationObserver(() => focusHeading() && watcher.disconnect())
    watcher.observe(document.body, { childList: true, subtree: true })
    const timer = setTimeout(() => watcher.disconnect(), GIVE_UP_MS)
    return () => {
      watcher.disconnect()
      clearTimeout(timer)
    }
  }, [pathname])
}
