import { notifyManager, onlineManager, QueryClient } from '@tanstack/react-query'
import { ProblemError } from '../lib/problem'

/** Returns whether to retry: after temporary failures only, and never without a network. */
function mayPass(error: unknown): boolean {
  return navigator.onLine && error instanceof ProblemError && [0, 502, 503, 504].includes(error.status)
}

// Notified in a microtask, not by a timer, so that a button is busy before the second press of a double click.
notifyManager.setScheduler(queueMicrotask)

// A page opened without a network asks again when the network comes; the default is to believe in one.
onlineManager.setOnline(navigator.onLine)

export const queryClient = new QueryClient({
  defaultOptions: {
    // `always`: without a network the request fails at once instead of waiting for the network.
    queries: {
      networkMode: 'always',
      staleTime: 10_000,
      retry: (count, error) => count < 2 && mayPass(error),
    },
    mutations: { networkMode: 'always', retry: false },
  },
})
