import { useNavigate } from 'react-router'

/** Leads back to where the person came from, or to `home` when this screen was the first of the visit. */
export function useBack(home: string): () => void {
  const navigate = useNavigate()
  return () => {
    const state: unknown = window.history.state
    const cameFromHere = typeof state === 'object' && state !== null && 'idx' in state && Number(state.idx) > 0
    void (cameFromHere ? navigate(-1) : navigate(home))
  }
}
