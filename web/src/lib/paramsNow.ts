import { useContext } from 'react'
import { UNSAFE_DataRouterContext as RouterContext } from 'react-router'

/**
 * Returns a function that reads the address's parameters. `useSearchParams` has those of the last rendering, and a change
 * made from them would undo a newer one, such as a search typed a moment before.
 */
export function useParamsNow(): () => URLSearchParams {
  const router = useContext(RouterContext)?.router
  return () => new URLSearchParams(router?.state.location.search)
}

/** Returns the parameters `now` with the changes that lead from `shown` to `to`. */
export function rebased(shown: URLSearchParams, to: URLSearchParams, now: URLSearchParams): URLSearchParams {
  const after = new URLSearchParams(now)
  for (const name of new Set([...shown.keys(), ...to.keys()])) {
    const value = to.get(name)
    if (value === shown.get(name)) continue
    if (value === null) after.delete(name)
    else after.set(name, value)
  }
  return after
}
