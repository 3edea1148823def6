import { PasswordInput, TextInput } from '@mantine/core'
import type { OwnSecondFactor } from '../../api/types'
import { check, labelOf } from '../../api/validate'
import { t } from '../../lib/messages'

type Field = 'currentPassword' | 'code'

type OwnerProofProps = {
  own: OwnSecondFactor
  /** Returns value, error and handlers of a field of the form. */
  input: (field: Field) => object
}

/** Fields for the password and, if the server requires it, a code, before a second factor is added or removed. */
export function OwnerProof({ own, input }: OwnerProofProps) {
  const hasApp = own.since !== null
  return (
    <>
      <PasswordInput
        {...input('currentPassword')}
        label={labelOf('AuthenticatorBegin', 'currentPassword')}
        required
        withAsterisk={false}
        autoComplete="current-password"
        data-autofocus
      />
      {own.codeNeeded && (
        <TextInput
          {...input('code')}
          label={t(hasApp ? 'security.second.code' : 'secondStep.recoveryCode')}
          description={t(hasApp ? 'security.second.proofHint' : 'security.passkeys.proofHint')}
          required
          withAsterisk={false}
          autoComplete="one-time-code"
          spellCheck={false}
        />
      )}
    </>
  )
}

/** Returns the error of a typed code; null if no code is required. */
export const codeRule =
  (own: OwnSecondFactor) =>
  (value: unknown): string | null =>
    own.codeNeeded ? check('AuthenticatorBegin', 'code', value, 'required') : null
