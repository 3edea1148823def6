import { Group, Stack, Text, TextInput } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { useActionForm, useContractForm } from '../../api/form'
import { beginAuthenticator, confirmAuthenticator } from '../../api/security'
import type { AuthenticatorKey, OwnSecondFactor } from '../../api/types'
import { validators } from '../../api/validate'
import { t } from '../../lib/messages'
import { messageOf } from '../../lib/problem'
import { Dialog } from '../../ui/Dialog'
import { DialogEnd } from '../../ui/DialogEnd'
import { QrCode } from '../../print/QrCode'
import { Copy } from '../../ui/Copy'
import { codeRule, OwnerProof } from './OwnerProof'
import { RecoveryCodes } from './RecoveryCodes'
import classes from './SecondFactor.module.css'

/** Setup of an authenticator app: password, key, first code, and recovery codes. */
export function SetUp({ own, onClose }: { own: OwnSecondFactor; onClose: () => void }) {
  const [key, setKey] = useState<AuthenticatorKey | null>(null)
  const [codes, setCodes] = useState<readonly string[] | null>(null)
  return (
    // The codes are shown once, so the dialog must not close by accident.
    <Dialog
      title={t(codes === null ? 'security.second.setUpTitle' : 'security.second.codesTitle')}
      keepsOpen={key !== null}
      onClose={onClose}
    >
      {codes !== null ? (
        <RecoveryCodes codes={codes} onClose={onClose} />
      ) : key !== null ? (
        <Confirm
          authenticator={key}
          onDone={(recoveryCodes) => (recoveryCodes.length > 0 ? setCodes(recoveryCodes) : onClose())}
          onClose={onClose}
        />
      ) : (
        <Begin own={own} onDone={setKey} onClose={onClose} />
      )}
    </Dialog>
  )
}

type BeginProps = { own: OwnSecondFactor; onDone: (key: AuthenticatorKey) => void; onClose: () => void }

function Begin({ own, onDone, onClose }: BeginProps) {
  const { form, onSubmit, pending, failure } = useActionForm({
    action: beginAuthenticator,
    initial: { currentPassword: '', code: '' },
    inputOf: (values) => values,
    validate: { currentPassword: validators('AuthenticatorBegin').currentPassword, code: codeRule(own) },
    onDone,
  })
  return (
    <form noValidate onSubmit={onSubmit}>
      <Stack>
        <Text>{t('security.second.needApp')}</Text>
        <OwnerProof own={own} input={form.getInputProps} />
        <DialogEnd
          failure={failure === null ? null : messageOf(failure)}
          submit={t('security.second.next')}
          pending={pending}
          onCancel={onClose}
        />
      </Stack>
    </form>
  )
}

type ConfirmProps = { authenticator: AuthenticatorKey; onDone: (codes: readonly string[]) => void; onClose: () => void }

function Confirm({ authenticator: { address, secret }, onDone, onClose }: ConfirmProps) {
  const { field, onSubmit, pending, failure } = useContractForm('SecondFactorCode', {
    action: confirmAuthenticator,
    initial: { code: '' },
    onDone: ({ recoveryCodes }) => onDone(recoveryCodes),
  })
  const code = useRef<HTMLInputElement>(null)
  const shownSecret = useRef<HTMLElement>(null)
  // The previous form had the focus, so the code field takes it.
  useEffect(() => code.current?.focus({ preventScroll: true }), [])
  return (
    <form noValidate onSubmit={onSubmit}>
      <Stack>
        <Text>{t('security.second.scan')}</Text>
        <QrCode text={address} label={t('security.second.qr')} />
        <div>
          <Text size="sm">{t('security.second.orType')}</Text>
          <Group gap="xs" wrap="nowrap" justify="space-between">
            <code ref={shownSecret} className={classes.secret}>
              {secret.match(/.{1,4}/g)?.join(' ')}
            </code>
            <Copy text={secret} shownIn={shownSecret} />
          </Group>
        </div>
        <TextInput
          {...field('code')}
          ref={code}
          label={t('security.second.code')}
          description={t('security.second.codeHint')}
          inputMode="numeric"
          autoComplete="one-time-code"
          spellCheck={false}
        />
        <DialogEnd
          failure={failure === null ? null : messageOf(failure)}
          submit={t('security.second.turnOn')}
          pending={pending}
          onCancel={onClose}
        />
      </Stack>
    </form>
  )
}
