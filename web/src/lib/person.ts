import { storage } from './storage'

const NAME = 'person'

let isLeaving = false

/** True while the page reloads for another person, which asks no question about unsaved work. */
export const isHandingOver = (): boolean => isLeaving

/** Reloads the page for the person who signed in on another tab. */
export function handOver(): void {
  isLeaving = true
  window.location.reload()
}

/** Id of the signed-in person; null for a visitor. */
export type Uid = number | null

const channel = typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel(NAME)

/** Tells the other tabs of this browser, which share the session, about a sign-in or sign-out. */
export function tellPerson(uid: Uid): void {
  storage.write(NAME, String(uid))
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has none
  channel?.postMessage(uid)
}

/**
 * Calls back when another tab signs in or out. Tabs that were suspended, and browsers without BroadcastChannel, read the
 * change from the storage. Returns a function that unsubscribes.
 */
export function onPersonElsewhere(onChange: (uid: Uid) => void): () => void {
  const parsed = (text: string) => onChange(text === 'null' ? null : Number(text))
  const onMessage = ({ data }: MessageEvent<Uid>) => onChange(data)
  const onStorage = ({ key, newValue }: StorageEvent) => {
    if (key === NAME && newValue !== null) parsed(newValue)
  }
  const onShown = () => {
    const text = document.visibilityState === 'visible' ? storage.read(NAME) : null
    if (text !== null) parsed(text)
  }
  channel?.addEventListener('message', onMessage)
  addEventListener('storage', onStorage)
  addEventListener('pageshow', onShown)
  document.addEventListener('visibilitychange', onShown)
  return () => {
    channel?.removeEventListener('message', onMessage)
    removeEventListener('storage', onStorage)
    removeEventListener('pageshow', onShown)
    document.removeEventListener('visibilitychange', onShown)
  }
}
