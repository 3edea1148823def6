import { useEffect } from 'react'

/** Keeps the screen on, where the browser can: a phone that lies down between two books would lock itself. */
export function useWakeLock(on: boolean): void {
  useEffect(() => {
    // The types promise it; older browsers and pages over plain http do not have it.
    const locks = navigator.wakeLock as WakeLock | undefined
    if (!on || !locks) return undefined
    let wanted = true
    let held: WakeLockSentinel | null = null
    async function hold() {
      if (!wanted || document.visibilityState !== 'visible') return
      // Refused when the battery is low.
      held = (await locks?.request('screen').catch(() => null)) ?? null
      if (!wanted) await held?.release()
    }
    // The browser lets go of it whenever the page is hidden.
    const seen = () => void hold()
    document.addEventListener('visibilitychange', seen)
    void hold()
    return () => {
      wanted = false
      document.removeEventListener('visibilitychange', seen)
      void held?.release()
    }
  }, [on])
}
