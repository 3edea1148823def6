import { useEffect, useState } from 'react'
import { whenIdle } from '../lib/idle'
import { notDuringPress } from '../lib/press'

let wasIdle = false

/** Returns whether the browser has been idle since the page was loaded. */
export function useIdle(): boolean {
  const [isIdle, setIdle] = useState(wasIdle)
  useEffect(
    () =>
      whenIdle(() =>
        // A press on a button that is replaced would be lost.
        notDuringPress(() => {
          wasIdle = true
          setIdle(true)
        }),
      ),
    [],
  )
  return isIdle
}
