import { useLocation, useNavigate } from 'react-router'

/** Returns to the previous screen, or to `home` if this one was the first of the visit. */
export function useBack(home: string): () => void {
  const navigate = useNavigate()
  // The first entry of a visit has the default key.
  const isFirst = useLocation().key === 'default'
  return () => void (isFirst ? navigate(home) : navigate(-1))
}
