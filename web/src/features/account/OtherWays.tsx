import { useQuery } from '@tanstack/react-query'
import { sessionQuery } from '../../api/account'
import type { Entered } from '../../api/types'
import { hasPasskeys } from '../../lib/passkey'
import { PasskeySignIn } from './PasskeySignIn'
import { ProviderSignIn } from './ProviderSignIn'

type Props = {
  /** How a return from the college's provider ended; null before one. */
  end: string | null
  next: string | null
  remember: boolean
  /** What stands above the form: why it did not work; null once it is tried again. */
  onFailure: (message: string | null) => void
  onEnter: (user: Entered) => void
}

/** The ways in that need no password: the college's own sign-in, and a passkey. */
export function OtherWays({ onEnter, ...props }: Props) {
  const session = useQuery(sessionQuery).data
  return (
    <>
      {session?.provider !== undefined && <ProviderSignIn {...props} />}
      {session?.passkeys === true && hasPasskeys() && (
        <PasskeySignIn remember={props.remember} onFailure={props.onFailure} onEnter={onEnter} />
      )}
    </>
  )
}
