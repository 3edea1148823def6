import { Checkbox, PasswordInput, Stack, Text } from '@mantine/core'
import { useActionForm } from '../../api/form'
import { changeRole } from '../../api/people'
import type { Capability, Person, RoleForm } from '../../api/types'
import { t } from '../../lib/messages'
import { messageOf } from '../../lib/problem'
import { Dialog } from '../../ui/Dialog'
import { DialogEnd } from '../../ui/DialogEnd'

const ALL = ['desk', 'catalogue', 'people', 'money', 'settings'] as const satisfies readonly Capability[]

type Values = { capabilities: Capability[]; password: string }

/**
 * Grants or changes a librarian's rights, or removes the role; asks for the acting librarian's password (R-PEOPLE-8).
 */
export function RoleDialog({ person, unmake, onClose }: { person: Person; unmake?: boolean; onClose: () => void }) {
  const { name, role } = person
  const { form, onSubmit, pending, failure } = useActionForm<Values, RoleForm & { uid: number }, Person>({
    action: changeRole,
    initial: { capabilities: role === 'admin' ? person.capabilities : [...ALL], password: '' },
    inputOf: ({ capabilities, password }) =>
      unmake
        ? { uid: person.uid, role: 'student' as const, password }
        : { uid: person.uid, role: 'admin' as const, capabilities, password },
    validate: { password: (password: string) => (password === '' ? t('people.role.passwordMissing') : null) },
    done: () => t(unmake ? 'people.role.unmade' : 'people.role.made', { name }),
    onDone: onClose,
  })
  const title = unmake
    ? t('people.role.unmake', { name })
    : t(role === 'admin' ? 'people.role.change' : 'people.role.make', { name })

  return (
    <Dialog onClose={onClose} title={title}>
      <form noValidate onSubmit={onSubmit}>
        <Stack>
          {unmake ? (
            <Text>{t('people.role.unmakeWhat')}</Text>
          ) : (
            <Checkbox.Group label={t('people.role.may')} {...form.getInputProps('capabilities')}>
              <Stack gap="xs" mt="xs">
                {ALL.map((capability) => (
                  <Checkbox
                    key={capability}
                    value={capability}
                    label={t(`people.may.${capability}`)}
                    description={t(`people.mayHint.${capability}`)}
                  />
                ))}
              </Stack>
            </Checkbox.Group>
          )}
          <PasswordInput
            label={t('people.role.password')}
            description={t('people.role.passwordHint')}
            autoComplete="current-password"
            {...form.getInputProps('password')}
          />
          <DialogEnd
            failure={failure === null ? null : messageOf(failure)}
            submit={t('people.form.save')}
            pending={pending}
            onCancel={onClose}
            danger={unmake}
          />
        </Stack>
      </form>
    </Dialog>
  )
}
