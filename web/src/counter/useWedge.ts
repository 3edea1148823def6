import { useCallback, useEffect, useRef } from 'react'
import { useKeyboardWedge } from '../lib/keyboardWedge'
import type { Desk } from './queue'

/** Whether the key belongs to its target: a field, or a dialog in front of the counter. */
const isTaken = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('input, textarea, select, [role="dialog"]') !== null

/** The window, the answer or the form around a field, which is answered or closed before a scan is sent. */
function formAround(target: EventTarget | null, box: HTMLElement | null): Element | null {
  if (!(target instanceof Element)) return null
  const form = target.closest('[role="dialog"]') ?? target.closest('article') ?? target.closest('form')
  return form?.contains(box) ? null : form
}

/**
 * The box that a keyboard wedge types into, wherever the focus was, after a button was pressed too. A scan into another
 * field is taken out of it again, and waits until the form around the field is answered or closed (R-SEAM-4).
 */
export function useWedge(desk: Desk) {
  // The field keeps its own text: a scanner types twenty keys in a moment, and none of them renders the screen.
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
    // A form that was answered, or a window that was closed, is gone from the page.
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
    return value.trim()
  }, [])

  /** Whether the key was pressed in a form of an answer, which Escape leaves for the box. */
  const leavesForm = useCallback((target: EventTarget): boolean => {
    const around = target instanceof Element ? target.closest('form') : null
    return around !== null && !around.contains(box.current)
  }, [])

  return { box, focusBox, takeText, leavesForm }
}
