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
