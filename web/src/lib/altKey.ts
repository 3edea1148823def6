import { useEffect, type RefObject } from 'react'

/** True for Alt with this physical key and no other modifier. */
export const isAlt = (event: KeyboardEvent, code: string): boolean =>
  event.altKey && !event.ctrlKey && !event.metaKey && event.code === code

/** True if the device has a mouse or a touchpad and so most likely a keyboard; phones show no keys on their buttons. */
export const showsKeys = (): boolean => matchMedia('(any-pointer: fine)').matches

/**
 * Presses a button or follows a link by Alt and a key, while the focus stays in the scan box; scanners never type these
 * keys.
 */
export function useAltKey(code: string, button: RefObject<HTMLElement | null>, isOn: boolean): void {
  useEffect(() => {
    if (!isOn) return undefined
    function onKey(event: KeyboardEvent) {
      if (!isAlt(event, code) || !button.current) return
      event.preventDefault()
      button.current.click()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [code, button, isOn])
}
