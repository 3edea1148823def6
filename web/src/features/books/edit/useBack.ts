import { useLocation, useNavigate } from 'react-router'

/** Leads back to where the person came from, or to `home` when this screen was the first of the visit. */
export function useBack(home: string): () => void {
  const navigate = useNavigate()
  // The first entry of a visit has no key of its own.
  const isFirst = useLocation().key === 'default'
  return () => void (isFirst ? navigate(home) : navigate(-1))
}
