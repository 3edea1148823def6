import { useSyncExternalStore } from 'react'
import { KEPT_AT } from '../offline/build'

/** Times of the cached responses on the screen, by address. */
const kept = new Map<string, number>()
let oldest: number | null = null
const listeners = new Set<() => void>()

/** Notes whether this response came from the server just now, or from the service worker's cache. */
export function noteAnswer({ url, headers }: Response): void {
  const at = Number(headers.get(KEPT_AT))
  if (at > 0) kept.set(url, at)
  else if (!kept.delete(url)) return
  oldest = kept.size > 0 ? Math.min(...kept.values()) : null
  for (const listener of listeners) listener()
}

/** Requests again what is still cached after the screen was refreshed: nothing on the screen would request it. */
export const refreshKept = () =>
  Promise.all([...kept.keys()].map((address) => fetch(address).then(noteAnswer, () => undefined)))

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Returns the time of the oldest cached response on the screen; null if there is none. */
export const useKeptAt = (): number | null => useSyncExternalStore(subscribe, () => oldest)

function subscribeNetwork(listener: () => void): () => void {
  addEventListener('online', listener)
  addEventListener('offline', listener)
  return () => {
    removeEventListener('online', listener)
    removeEventListener('offline', listener)
  }
}

/** True if the browser has no network, or cached responses are on the screen because the server did not answer. */
export function useIsOffline(): boolean {
  const hasNetwork = useSyncExternalStore(subscribeNetwork, () => navigator.onLine)
  return useKeptAt() !== null || !hasNetwork
}
