import { useEffect, useRef } from 'react'
import { useLocation } from 'react-router'

const GIVE_UP_MS = 10_000

/** After each change of page the heading gets the focus, so that keyboard and screen reader begin there. */
export function useRouteFocus(): void {
  const { pathname } = useLocation()
  const last = useRef(pathname)

  useEffect(() => {
    if (last.current === pathname) return
    last.current = pathname

    const focusHeading = () => {
      const main = document.getElementById('main')
      const heading = main?.querySelector<HTMLElement>('h1')
      if (!heading) return false
      // A person who already types somewhere on the new page keeps the place.
      if (!main?.contains(document.activeElement)) heading.focus({ preventScroll: true })
      return true
    }
    if (focusHeading()) return

    // The heading of a book is its title, which comes with the data.
    const watcher = new MutationObserver(() => focusHeading() && watcher.disconnect())
    watcher.observe(document.body, { childList: true, subtree: true })
    const timer = setTimeout(() => watcher.disconnect(), GIVE_UP_MS)
    return () => {
      watcher.disconnect()
      clearTimeout(timer)
    }
  }, [pathname])
}
