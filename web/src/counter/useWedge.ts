import { useCallback, useEffect, useRef } from 'react'
import { useKeyboardWedge } from '../lib/keyboardWedge'
import type { Desk } from './queue'

/** Returns true if the key belongs to its target: a field, or a dialog over the counter. */
const isTaken = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('input, textarea, select, [role="dialog"]') !== null

/** Returns the dialog, answer or form around a field, which must be submitted or closed before a scan is sent. */
function formAround(target: EventTarget | null, box: HTMLElement | null): Element | null {
  if (!(target instanceof Element)) return null
  const form = target.closest('[role="dialog"]') ?? target.closest('article') ?? target.closest('form')
  return form?.contains(box) ? null : form
}

/**
 * Box that receives the keys of a keyboard wedge, wherever the focus is. A scan into another
 * field is removed from it and held until the form around the field is submitted or closed (R-SEAM-4).
 */
export function useWedge(desk: Desk) {
  // Uncontrolled: a scanner types twenty keys at once, and none of them may render the screen.
  const box = useRef<HTMLInputElement>(null)
  const focusBox = useCallback(() => box.current?.focus({ preventScroll: true }), [])
  const form = useRef<Element | null>(null)

  useEffect(() => {
    focusBox()
    function onKey(event: KeyboardEvent) {
      if (event.ctrlKey || event.metaKey || event.altKey || event.key.length !== 1 || isTaken(event.target)) return
      focusBox()
    }
    addEventListener('keydown', onKey, true)
    return () => removeEventListener('keydown', onKey, true)
  }, [focusBox])

  const release = useCallback(() => {
    form.current = null
    desk.release()
  }, [desk])

  useEffect(() => {
    const onFocus = ({ target }: FocusEvent) => {
      if (form.current && target === box.current) release()
    }
    // A submitted form or closed dialog is no longer in the page.
    const watcher = new MutationObserver(() => {
      if (form.current?.isConnected === false) release()
    })
    watcher.observe(document.body, { childList: true, subtree: true })
    addEventListener('focusin', onFocus)
    return () => {
      watcher.disconnect()
      removeEventListener('focusin', onFocus)
      release()
    }
  }, [release])

  useKeyboardWedge(
    true,
    ({ code, target }) => {
      const around = formAround(target, box.current)
      if (!around) return desk.scan(code)
      form.current = around
      desk.hold(code)
    },
    { atDesk: true, isOwn: (target) => target === box.current },
  )

  /** Empties the box and returns its text. */
  const takeText = useCallback((): string => {
    if (!box.current) return ''
    const { value } = box.current
    box.current.value = ''
    if (value !== '') box.current.dispatchEvent(new Event('input', { bubbles: true }))
    return value.trim()
  }, [])

  /** Returns true for a key in a form of an answer; Escape moves the focus from there to the box. */
  const leavesForm = useCallback((target: EventTarget): boolean => {
    const around = target instanceof Element ? target.closest('form') : null
    return around !== null && !around.contains(box.current)
  }, [])

  return { box, focusBox, takeText, leavesForm }
}
