import { useEffect, useState } from 'react'
import { focusSearch } from '../lib/focus'
import { storage } from '../lib/storage'

const SINGLE_KEYS = 'singleKeys'

/** Setting for single-key shortcuts: users of dictation can switch them off (WCAG 2.1.4). */
export const singleKeys = {
  areOn: () => storage.read(SINGLE_KEYS) !== 'off',
  switch: (on: boolean) => storage.write(SINGLE_KEYS, on ? 'on' : 'off'),
}

/** Event that opens the help, from any component. */
const HELP_EVENT = 'library:keyboard-help'

export function showKeyboardHelp(): void {
  dispatchEvent(new Event(HELP_EVENT))
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
}

/**
 * The two keys that work on every screen: `/` for the search and `?` for the help, recognised by their character on any
 * keyboard layout.
 */
export function useShortcuts(): { opened: boolean; close: () => void } {
  const [opened, setOpened] = useState(false)

  useEffect(() => {
    const open = () => setOpened(true)
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTyping(event.target)) return
      if (!singleKeys.areOn()) return
      if (event.key === '?') open()
      if (event.key === '/' && focusSearch()) event.preventDefault()
    }
    addEventListener('keydown', onKey)
    addEventListener(HELP_EVENT, open)
    return () => {
      removeEventListener('keydown', onKey)
      removeEventListener(HELP_EVENT, open)
    }
  }, [])

  return { opened, close: () => setOpened(false) }
}
