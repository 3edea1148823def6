import { useSyncExternalStore } from 'react'
import { KEPT_AT } from '../offline/build'

/** Times of the kept answers that are shown, by address. */
const kept = new Map<string, number>()
let oldest: number | null = null
const listeners = new Set<() => void>()

/** Notes whether the server gave this answer now, or the service worker kept it. */
export function noteAnswer({ url, headers }: Response): void {
  const at = Number(headers.get(KEPT_AT))
  if (at > 0) kept.set(url, at)
  else if (!kept.delete(url)) return
  oldest = kept.size > 0 ? Math.min(...kept.values()) : null
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Returns when the oldest of the shown answers was given, if kept ones are shown. */
export const useKeptAt = (): number | null => useSyncExternalStore(subscribe, () => oldest)
