import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { ProblemError, problemOf } from '../lib/problem'
import { API, BACKGROUND } from './client'

/** Time without data after which a stream counts as dead; the server sends a keep-alive every 10 seconds. */
const SILENCE_MS = 25_000
/** First pause before a reconnection. It doubles with each failed attempt, because thousands of pages listen. */
const AGAIN_MS = 1500
const LONGEST_MS = 24_000

type Listener = {
  headers?: Record<string, string>
  onEvent: (event: EventSourceMessage) => void
  /** Called when the connection is established or lost. */
  onConnected: (isConnected: boolean) => void
  /** Called when the server refuses the stream for good; no reconnection follows. */
  onRefused: (problem: ProblemError) => void
}

/**
 * Reads a stream of server-sent events until it is stopped. It reconnects whenever the stream ends and sends the last
 * event's id, so that nothing is missed. The browser's `EventSource` sends no headers and hides why it fails.
 */
export function listen(path: `/${string}`, { headers, onEvent, onConnected, onRefused }: Listener): () => void {
  const stop = new AbortController()
  let last: string | null = null
  let pause = AGAIN_MS

  async function connect(): Promise<void> {
    const silent = new AbortController()
    let watchdog = setTimeout(() => silent.abort(), SILENCE_MS)
    try {
      const response = await fetch(API + path, {
        headers: {
          Accept: 'text/event-stream',
          ...BACKGROUND,
          ...headers,
          ...(last !== null && { 'Last-Event-ID': last }),
        },
        signal: AbortSignal.any([stop.signal, silent.signal]),
        cache: 'no-store',
      })
      if (!response.ok || !response.body) {
        const body: unknown = await response.json().catch(() => null)
        throw problemOf(response, body)
      }
      onConnected(true)
      pause = AGAIN_MS
      const parser = createParser({
        onEvent: (event) => {
          last = event.id ?? last
          if (!stop.signal.aborted) onEvent(event)
        },
      })
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
      for (;;) {
        // oxlint-disable-next-line no-await-in-loop -- one piece comes after the other
        const { done, value } = await reader.read()
        if (done) return
        clearTimeout(watchdog)
        watchdog = setTimeout(() => silent.abort(), SILENCE_MS)
        parser.feed(value)
      }
    } finally {
      clearTimeout(watchdog)
    }
  }

  void (async () => {
    while (!stop.signal.aborted) {
      try {
        // oxlint-disable-next-line no-await-in-loop -- one stream comes after the other
        await connect()
      } catch (error) {
        if (error instanceof ProblemError && error.status < 500 && error.status !== 429) {
          if (!stop.signal.aborted) onRefused(error)
          return
        }
      }
      if (stop.signal.aborted) return
      onConnected(false)
      // oxlint-disable-next-line no-await-in-loop -- the next one is tried a moment later
      await networkOr(pause)
      pause = Math.min(2 * pause, LONGEST_MS)
    }
  })()
  return () => stop.abort()
}

/** Waits until the device is online again, or for the given time. */
const networkOr = (milliseconds: number) =>
  new Promise<unknown>((resolve) => {
    setTimeout(resolve, milliseconds)
    window.addEventListener('online', resolve, { once: true })
  })
