import { MutationCache, notifyManager, QueryCache, QueryClient } from '@tanstack/react-query'
import { isSignedOut } from './client'
import { ProblemError } from '../lib/problem'

let whenSignedOut: () => void = () => undefined

/** Says what happens, in one place, when any call finds that nobody is signed in any longer. */
export function onSignedOut(react: () => void): void {
  whenSignedOut = react
}

/** Nobody is signed in any longer. */
export const signedOut = (): void => whenSignedOut()

function watch(error: unknown): void {
  if (isSignedOut(error)) signedOut()
}

/** A refusal stays a refusal; only what may pass by itself is asked again. */
function mayPass(error: unknown): boolean {
  return error instanceof ProblemError && [0, 502, 503, 504].includes(error.status)
}

// Told at once and not a turn later, a button is busy before the second press of a double click reaches it.
notifyManager.setScheduler(queueMicrotask)

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: watch }),
  mutationCache: new MutationCache({ onError: watch }),
  defaultOptions: {
    // `always`: without a network the person is told so at once instead of waiting for it to return.
    queries: { networkMode: 'always', staleTime: 10_000, retry: (count, error) => count < 2 && mayPass(error) },
    mutations: { networkMode: 'always', retry: false },
  },
})
