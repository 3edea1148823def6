import { useLocation } from 'react-router'
import { paths } from '../../screens'
import { Forgot } from './Forgot'
import { Reset } from './Reset'

/** Both pages of a forgotten password, in one chunk: the request for a reset link, and the page that the link opens. */
export default function ForgottenScreen() {
  return useLocation().pathname === paths.reset() ? <Reset /> : <Forgot />
}
