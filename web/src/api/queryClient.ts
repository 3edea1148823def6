import { notifyManager, QueryClient } from '@tanstack/react-query'
import { ProblemError } from '../lib/problem'

/** True for failures that may be temporary; refusals are not retried, and nothing while the browser has no network. */
function mayPass(error: unknown): boolean {
  return navigator.onLine && error instanceof ProblemError && [0, 502, 503, 504].includes(error.status)
}

// Notified in a microtask, not by a timer, so that a button is busy before the second press of a double click.
notifyManager.setScheduler(queueMicrotask)

export const queryClient = new QueryClient({
  defaultOptions: {
    // `always`: without a network the request fails at once instead of waiting for the network.
    queries: {
      networkMode: 'always',
      refetchOnReconnect: true,
      staleTime: 10_000,
      retry: (count, error) => count < 2 && mayPass(error),
    },
    mutations: { networkMode: 'always', retry: false },
  },
})
