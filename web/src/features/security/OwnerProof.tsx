import { PasswordInput, TextInput } from '@mantine/core'
import type { OwnSecondFactor } from '../../api/types'
import { check, labelOf } from '../../api/validate'
import { t } from '../../lib/messages'

type Field = 'currentPassword' | 'code'

type OwnerProofProps = {
  own: OwnSecondFactor
  /** Value, error and handlers of a field, as a form gives them. */
  input: (field: Field) => object
}

/** The password and, where the server asks for it, a code of the second factor, before a factor is added or removed. */
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

/** What is wrong with the code; nothing where the screen does not ask for one. */
export const codeRule =
  (own: OwnSecondFactor) =>
  (value: unknown): string | null =>
    own.codeNeeded ? check('AuthenticatorBegin', 'code', value, 'required') : null
