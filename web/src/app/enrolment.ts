import { useEffect } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { paths } from '../screens'

/** Leads a librarian without a required second factor to its setup. */
export function useEnrolment(missing: boolean): void {
  const navigate = useNavigate()
  const { pathname } = useLocation()
  useEffect(() => {
    if (missing && pathname !== paths.security()) void navigate(paths.security(), { replace: true })
  }, [missing, pathname, navigate])
}
