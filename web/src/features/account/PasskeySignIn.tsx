import { Button } from '@mantine/core'
import { Fingerprint } from 'lucide-react'
import { useAction } from '../../api/action'
import { signInWithPasskey } from '../../api/passkeys'
import type { Entered } from '../../api/types'
import { t } from '../../lib/messages'
import { messageOf } from '../../lib/problem'

type Props = {
  remember: boolean
  onFailure: (message: string | null) => void
  onEnter: (user: Entered) => void
}

/** Sign-in with a passkey alone. */
export function PasskeySignIn({ remember, onFailure, onEnter }: Props) {
  const signIn = useAction(signInWithPasskey)

  async function enter() {
    onFailure(null)
    const outcome = await signIn.run({ secondStep: false, remember })
    if (outcome.ok) onEnter(outcome.output)
    else onFailure(messageOf(outcome.error))
  }

  return (
    <Button variant="default" leftSection={<Fingerprint />} loading={signIn.pending} onClick={() => void enter()}>
      {t('passkey.signIn')}
    </Button>
  )
}
