import { storage } from './storage'

const NAME = 'person'

let isLeaving = false

/** Whether this page is being left to another person, which asks no question. */
export const isHandingOver = (): boolean => isLeaving

/** Reloads the page for the person who signed in on another tab. */
export function handOver(): void {
  isLeaving = true
  window.location.reload()
}

/** The id of the person who is signed in, or null for nobody. */
export type Uid = number | null

const channel = typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel(NAME)

/** Tells the other tabs of this browser, which share its session, who is signed in from now on. */
export function tellPerson(uid: Uid): void {
  storage.write(NAME, String(uid))
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has none
  channel?.postMessage(uid)
}

/**
 * Calls back when another tab signed somebody in or out. Tabs that were asleep meanwhile, and browsers without channels,
 * learn it from the storage. The answer ends the listening.
 */
export function onPersonElsewhere(told: (uid: Uid) => void): () => void {
  const parsed = (text: string) => told(text === 'null' ? null : Number(text))
  const onMessage = ({ data }: MessageEvent<Uid>) => told(data)
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
