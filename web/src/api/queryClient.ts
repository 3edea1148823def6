import { notifyManager, QueryClient } from '@tanstack/react-query'
import { ProblemError } from '../lib/problem'

/** A refusal stays a refusal; only what may pass by itself is asked again. */
function mayPass(error: unknown): boolean {
  return error instanceof ProblemError && [0, 502, 503, 504].includes(error.status)
}

// Told at once and not a turn later, a button is busy before the second press of a double click reaches it.
notifyManager.setScheduler(queueMicrotask)

export const queryClient = new QueryClient({
  defaultOptions: {
    // `always`: without a network the person is told so at once instead of waiting for it to return.
    queries: { networkMode: 'always', staleTime: 10_000, retry: (count, error) => count < 2 && mayPass(error) },
    mutations: { networkMode: 'always', retry: false },
  },
})
