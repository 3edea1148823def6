import { useEffect } from 'react'

/** Keeps the screen on where the browser can: a phone put down between two books would lock itself. */
export function useWakeLock(on: boolean): void {
  useEffect(() => {
    // Contrary to the types, older browsers and pages over plain http lack `wakeLock`.
    const locks = navigator.wakeLock as WakeLock | undefined
    if (!on || !locks) return undefined
    let wanted = true
    let held: WakeLockSentinel | null = null
    async function hold() {
      if (!wanted || document.visibilityState !== 'visible') return
      // Browsers refuse the lock if the battery is low.
      held = (await locks?.request('screen').catch(() => null)) ?? null
      if (!wanted) await held?.release()
    }
    // Browsers release the lock when the page is hidden, so it is requested again.
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
