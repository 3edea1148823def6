import { useEffect, useState } from 'react'
import { whenIdle } from '../lib/idle'

let wasIdle = false

/** Returns whether the browser has been idle since the page was loaded. */
export function useIdle(): boolean {
  const [isIdle, setIdle] = useState(wasIdle)
  useEffect(
    () =>
      whenIdle(() => {
        wasIdle = true
        setIdle(true)
      }),
    [],
  )
  return isIdle
}
