import { useCallback, useEffect, useRef } from 'react'

/** Whether the key belongs to its target: a field, or a dialog in front of the counter. */
const isTaken = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('input, textarea, select, [role="dialog"]') !== null

/** The box that a keyboard wedge types into, wherever the focus was, after a button was pressed too. */
export function useWedge() {
  // The field keeps its own text: a scanner types twenty keys in a moment, and none of them renders the screen.
  const box = useRef<HTMLInputElement>(null)
  const focusBox = useCallback(() => box.current?.focus({ preventScroll: true }), [])

  useEffect(() => {
    focusBox()
    function onKey(event: KeyboardEvent) {
      if (event.ctrlKey || event.metaKey || event.altKey || event.key.length !== 1 || isTaken(event.target)) return
      focusBox()
    }
    addEventListener('keydown', onKey, true)
    return () => removeEventListener('keydown', onKey, true)
  }, [focusBox])

  /** Empties the box and returns its text. */
  const takeText = useCallback((): string => {
    if (!box.current) return ''
    const { value } = box.current
    box.current.value = ''
    return value.trim()
  }, [])

  return { box, focusBox, takeText }
}
