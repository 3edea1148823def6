import { useEffect, useState } from 'react'
import type { MessageKey } from '../lib/messages'

/** What the help lists. Arrow keys, Enter and Escape are handled where they act. */
export const SHORTCUTS = [
  { keys: ['/'], does: 'app.help.search' },
  { keys: ['←', '→', '↑', '↓'], does: 'app.help.arrows' },
  { keys: ['Enter'], does: 'app.help.enter' },
  { keys: ['Esc'], does: 'app.help.escape' },
  { keys: ['?'], does: 'app.help.show' },
] as const satisfies readonly { keys: readonly string[]; does: MessageKey }[]

/** Event by which any part of the page asks for the help, such as the button in the navigation bar. */
const HELP_EVENT = 'library:keyboard-help'

export function showKeyboardHelp(): void {
  dispatchEvent(new Event(HELP_EVENT))
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
}

/** The two keys that work on every screen: `/` for the search and `?` for the help. */
export function useShortcuts(): { opened: boolean; close: () => void } {
  const [opened, setOpened] = useState(false)

  useEffect(() => {
    const open = () => setOpened(true)
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTyping(event.target)) return
      if (event.key === '?') open()
      if (event.key !== '/') return
      const search = document.querySelector<HTMLInputElement>('input[type="search"]')
      if (!search) return
      event.preventDefault()
      search.focus()
      search.select()
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
