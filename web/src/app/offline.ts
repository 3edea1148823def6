import { useEffect } from 'react'
import type { User } from '../api/types'
import { whenIdle } from '../lib/idle'
import { currentLanguage } from '../lib/messages'
import type { Keep } from '../offline/build'

/** Returns the browser's service workers, which exist only over https or on localhost; undefined in development. */
const workers = (): ServiceWorkerContainer | undefined =>
  import.meta.env.PROD && 'serviceWorker' in navigator ? navigator.serviceWorker : undefined

const report = (error: unknown): void => console.warn('Nothing is kept for a time without a network', error)

/** Starts the service worker, and tells it whose responses to cache. `user` is undefined until the session is known. */
export function useOffline(user: User | null | undefined): void {
  const isKnown = user !== undefined
  const student = user?.role === 'student' ? user.uid : null
  useEffect(() => {
    const container = workers()
    if (!isKnown || !container) return
    let isOver = false
    const start = async () => {
      await container.register('/library/worker.js', { updateViaCache: 'none' })
      const { active } = await container.ready
      const wish: Keep = { language: currentLanguage(), student }
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has none
      if (!isOver) active?.postMessage(wish)
    }
    whenIdle(() => void start().catch(report))
    return () => {
      isOver = true
    }
  }, [isKnown, student])
}
