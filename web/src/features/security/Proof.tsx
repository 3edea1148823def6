import { PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { Action } from '../../api/action'
import { useContractForm } from '../../api/form'
import { makeRecoveryCodes, removeAuthenticator } from '../../api/security'
import type { OwnSecondFactor, SecondFactorProof } from '../../api/types'
import { t } from '../../lib/messages'
import { messageOf } from '../../lib/problem'
import { Dialog } from '../../ui/Dialog'
import { DialogEnd } from '../../ui/DialogEnd'
import { RecoveryCodes } from './RecoveryCodes'

type ProofProps<Output> = {
  what: string
  /** True if there is an authenticator app; otherwise a recovery code is required. */
  app?: boolean
  action: Action<SecondFactorProof, Output>
  submit: string
  /** Text of the notice after success. */
  done?: () => string
  danger?: boolean
  onDone: (output: Output) => void
  onClose: () => void
}

/** Form for the password and a code, before a change of the second factor. */
function Proof<Output>({
  what,
  app = true,
  action,
  submit,
  done,
  danger = false,
  onDone,
  onClose,
}: ProofProps<Output>) {
  const { field, onSubmit, pending, failure } = useContractForm('SecondFactorProof', {
    action,
    initial: { currentPassword: '', code: '' },
    ...(done && { done }),
    onDone,
  })
  return (
    <form noValidate onSubmit={onSubmit}>
      <Stack>
        <Text>{what}</Text>
        <PasswordInput {...field('currentPassword')} autoComplete="current-password" data-autofocus />
        <TextInput
          {...field('code')}
          label={t(app ? 'security.second.code' : 'secondStep.recoveryCode')}
          description={app && t('security.second.proofHint')}
          autoComplete="one-time-code"
          spellCheck={false}
        />
        <DialogEnd
          failure={failure === null ? null : messageOf(failure)}
          submit={submit}
          pending={pending}
          danger={danger}
          onCancel={onClose}
        />
      </Stack>
    </form>
  )
}

/** Removes the authenticator app. */
export function TurnOff({ own, onClose }: { own: OwnSecondFactor; onClose: () => void }) {
  const stays = own.passkeys.length > 0
  return (
    <Dialog title={t('security.second.offTitle')} onClose={onClose}>
      <Proof
        what={t(
          stays
            ? 'security.second.offButPasskeysWhat'
            : own.required
              ? 'security.second.offRequired'
              : 'security.second.offWhat',
        )}
        action={removeAuthenticator}
        submit={t('security.second.turnOff')}
        done={() => t(stays ? 'security.second.offButPasskeysDone' : 'security.second.offDone')}
        danger
        onDone={onClose}
        onClose={onClose}
      />
    </Dialog>
  )
}

/** Replaces the recovery codes; the old ones become invalid. */
export function NewRecoveryCodes({ app, onClose }: { app: boolean; onClose: () => void }) {
  const [codes, setCodes] = useState<readonly string[] | null>(null)
  return (
    <Dialog title={t('security.second.codesTitle')} keepsOpen={codes !== null} onClose={onClose}>
      {codes === null ? (
        <Proof
          what={t('security.second.newCodesWhat')}
          app={app}
          action={makeRecoveryCodes}
          submit={t('security.second.newCodes')}
          onDone={({ recoveryCodes }) => setCodes(recoveryCodes)}
          onClose={onClose}
        />
      ) : (
        <RecoveryCodes codes={codes} onClose={onClose} />
      )}
    </Dialog>
  )
}
