import { useEffect, useEffectEvent } from 'react'

/** Prints the page once it is shown, and calls `onDone` after the print or its cancellation. */
export function usePrinting(onDone: () => void): void {
  const done = useEffectEvent(onDone)
  useEffect(() => {
    const finish = () => done()
    addEventListener('afterprint', finish, { once: true })
    window.print()
    return () => removeEventListener('afterprint', finish)
  }, [])
}
