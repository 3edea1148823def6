import { Button, Stack, Text, TextInput, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { sessionQuery } from '../../api/account'
import { useActionForm } from '../../api/form'
import { addPasskey, removePasskey } from '../../api/passkeys'
import { mySecondFactorQuery } from '../../api/security'
import type { OwnPasskey, OwnSecondFactor } from '../../api/types'
import { labelOf, validators } from '../../api/validate'
import { momentText } from '../../lib/format'
import { t } from '../../lib/messages'
import { hasPasskeys } from '../../lib/passkey'
import { messageOf } from '../../lib/problem'
import { Dialog } from '../../ui/Dialog'
import { DialogEnd } from '../../ui/DialogEnd'
import { ListState } from '../../ui/ListState'
import { codeRule, OwnerProof } from './OwnerProof'
import { RecoveryCodes } from './RecoveryCodes'
import classes from './Security.module.css'

/** The user's passkeys, which sign in alone or as second step. */
export function Passkeys() {
  const query = useQuery(mySecondFactorQuery)
  const here = useQuery(sessionQuery).data?.passkeys === true
  const [asked, setAsked] = useState<'add' | OwnPasskey | null>(null)
  const heading = useRef<HTMLHeadingElement>(null)
  const close = () => setAsked(null)
  return (
    <section className={classes.part} aria-labelledby="passkeys">
      <Title order={2} id="passkeys" tabIndex={-1} ref={heading}>
        {t('security.passkeys.title')}
      </Title>
      <p className={classes.hint}>{t('security.passkeys.what')}</p>
      <ListState query={query} lines={1}>
        {({ passkeys }) => (
          <>
            {passkeys.length > 0 && (
              <ul className={classes.sessions}>
                {passkeys.map((passkey) => (
                  <Passkey key={passkey.id} passkey={passkey} onRemove={() => setAsked(passkey)} />
                ))}
              </ul>
            )}
            {!here || !window.isSecureContext ? (
              <Text my="sm">{t('security.passkeys.notHere')}</Text>
            ) : !hasPasskeys() ? (
              <Text my="sm">{t('security.passkeys.noBrowser')}</Text>
            ) : (
              <Button mt="sm" variant={passkeys.length > 0 ? 'default' : 'filled'} onClick={() => setAsked('add')}>
                {t('security.passkeys.add')}
              </Button>
            )}
          </>
        )}
      </ListState>
      {asked === 'add' && query.data && <Add own={query.data} onClose={close} />}
      {asked !== null && asked !== 'add' && query.data && (
        <Remove
          passkey={asked}
          own={query.data}
          onDone={() => {
            close()
            // The pressed button disappears with the passkey, so the heading takes the focus.
            heading.current?.focus()
          }}
          onClose={close}
        />
      )}
    </section>
  )
}

function Passkey({ passkey: { name, addedAt, lastUsedAt }, onRemove }: { passkey: OwnPasskey; onRemove: () => void }) {
  return (
    <li className={classes.session}>
      <div>
        <span className={classes.browser} dir="auto">
          {name}
        </span>
        <div className={classes.when}>
          {lastUsedAt === null
            ? t('security.passkeys.unused', { added: momentText(addedAt) })
            : t('security.passkeys.when', { added: momentText(addedAt), used: momentText(lastUsedAt) })}
        </div>
      </div>
      <Button variant="default" size="sm" aria-label={t('security.passkeys.removeNamed', { name })} onClick={onRemove}>
        {t('security.passkeys.remove')}
      </Button>
    </li>
  )
}

function Add({ own, onClose }: { own: OwnSecondFactor; onClose: () => void }) {
  const [codes, setCodes] = useState<readonly string[] | null>(null)
  return (
    <Dialog
      title={t(codes === null ? 'security.passkeys.addTitle' : 'security.second.codesTitle')}
      keepsOpen={codes !== null}
      onClose={onClose}
    >
      {codes === null ? (
        <AddForm
          own={own}
          onDone={(recoveryCodes) => (recoveryCodes.length > 0 ? setCodes(recoveryCodes) : onClose())}
          onClose={onClose}
        />
      ) : (
        <RecoveryCodes codes={codes} onClose={onClose} />
      )}
    </Dialog>
  )
}

type AddFormProps = { own: OwnSecondFactor; onDone: (codes: readonly string[]) => void; onClose: () => void }

function AddForm({ own, onDone, onClose }: AddFormProps) {
  const { form, onSubmit, pending, failure } = useActionForm({
    action: addPasskey,
    initial: { currentPassword: '', code: '', name: own.device ?? '' },
    inputOf: (values) => values,
    validate: {
      currentPassword: validators('AuthenticatorBegin').currentPassword,
      code: codeRule(own),
      name: validators('NewPasskey').name,
    },
    done: () => t('security.passkeys.added'),
    onDone: ({ recoveryCodes }) => onDone(recoveryCodes),
  })
  return (
    <form noValidate onSubmit={onSubmit}>
      <Stack>
        <Text>{t('security.passkeys.addWhat')}</Text>
        <OwnerProof own={own} input={form.getInputProps} />
        <TextInput
          {...form.getInputProps('name')}
          label={labelOf('NewPasskey', 'name')}
          description={t('security.passkeys.nameHint')}
          required
          withAsterisk={false}
          autoComplete="off"
        />
        <DialogEnd
          failure={failure === null ? null : messageOf(failure)}
          submit={t('security.passkeys.make')}
          pending={pending}
          onCancel={onClose}
        />
      </Stack>
    </form>
  )
}

type RemoveProps = { passkey: OwnPasskey; own: OwnSecondFactor; onDone: () => void; onClose: () => void }

function Remove({ passkey: { id, name }, own, onDone, onClose }: RemoveProps) {
  const last = own.passkeys.length === 1 && own.since === null
  return (
    <Dialog title={t('security.passkeys.removeTitle', { name })} onClose={onClose}>
      <RemoveForm
        id={id}
        name={name}
        own={own}
        what={t(
          !last
            ? 'security.passkeys.removeWhat'
            : own.required
              ? 'security.passkeys.removeRequired'
              : 'security.passkeys.removeLast',
        )}
        onDone={onDone}
        onClose={onClose}
      />
    </Dialog>
  )
}

type RemoveFormProps = {
  id: number
  name: string
  own: OwnSecondFactor
  what: string
  onDone: () => void
  onClose: () => void
}

function RemoveForm({ id, name, own, what, onDone, onClose }: RemoveFormProps) {
  const { form, onSubmit, pending, failure } = useActionForm({
    action: removePasskey,
    initial: { currentPassword: '', code: '' },
    inputOf: (proof) => ({ id, ...proof }),
    validate: { currentPassword: validators('AuthenticatorBegin').currentPassword, code: codeRule(own) },
    done: () => t('security.passkeys.removed', { name }),
    onDone,
  })
  return (
    <form noValidate onSubmit={onSubmit}>
      <Stack>
        <Text>{what}</Text>
        <OwnerProof own={own} input={form.getInputProps} />
        <DialogEnd
          failure={failure === null ? null : messageOf(failure)}
          submit={t('security.passkeys.remove')}
          pending={pending}
          danger
          onCancel={onClose}
        />
      </Stack>
    </form>
  )
}
