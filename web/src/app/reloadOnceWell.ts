import { sessionQuery } from '../api/account'
import { queryClient } from '../api/queryClient'

const PAUSE_MS = 10_000

/** Reloads the page when the network comes back, or with `poll` when the server answers again. Returns the way to stop. */
export function reloadOnceWell(poll: boolean): () => void {
  const reload = () => location.reload()
  const ask = () =>
    queryClient.fetchQuery({ ...sessionQuery, staleTime: 0, retry: false }).then(reload, () => undefined)
  const timer = poll ? setInterval(() => void ask(), PAUSE_MS) : undefined
  addEventListener('online', reload)
  return () => {
    clearInterval(timer)
    removeEventListener('online', reload)
  }
}
