import { Anchor, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { sessionQuery } from '../../api/account'
import type { Entered } from '../../api/types'
import { t } from '../../lib/messages'
import { hasPasskeys } from '../../lib/passkey'
import { paths } from '../../screens'
import { PasskeySignIn } from './PasskeySignIn'
import { ProviderSignIn } from './ProviderSignIn'

type Props = {
  /** Outcome of the return from the college's provider; null without a return. */
  end: string | null
  next: string | null
  remember: boolean
  /** Address typed so far. */
  email: string
  /** Reports a failure to show above the form; null when a new try begins. */
  onFailure: (message: string | null) => void
  onEnter: (user: Entered) => void
}

/** Ways to sign in without a password: the college's provider, a passkey, and a password reset link. */
export function OtherWays({ onEnter, ...props }: Props) {
  const session = useQuery(sessionQuery).data
  return (
    <Stack mt="lg">
      {session?.provider !== undefined && <ProviderSignIn {...props} />}
      {session?.passkeys === true && hasPasskeys() && (
        <PasskeySignIn remember={props.remember} onFailure={props.onFailure} onEnter={onEnter} />
      )}
      {session?.mail === true && (
        <Anchor component={Link} to={paths.forgot()} state={{ email: props.email }} size="sm">
          {t('account.forgot.link')}
        </Anchor>
      )}
    </Stack>
  )
}
