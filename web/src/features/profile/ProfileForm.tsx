import { Alert, Button, Group, Stack, TextInput } from '@mantine/core'
import { updateProfile } from '../../api/account'
import { useContractForm } from '../../api/form'
import type { Profile, User } from '../../api/types'
import type { Draft } from '../../lib/drafts'
import { lowerCased } from '../../lib/forms'
import { t } from '../../lib/messages'
import { messageOf } from '../../lib/problem'
import classes from './ProfileScreen.module.css'

type ProfileFormProps = { user: User; draft: Draft<Profile>; onClose: () => void }

/** Form for name, roll number and department. */
export function ProfileForm({ user, draft, onClose }: ProfileFormProps) {
  const { form, field, onSubmit, pending, failure } = useContractForm('ProfileEdit', {
    action: updateProfile,
    initial: { name: user.name, rollNumber: user.rollNumber ?? '', department: user.department ?? '' },
    draft,
    done: () => t('profile.done'),
    onDone: onClose,
  })

  function cancel() {
    draft.remove()
    onClose()
  }

  return (
    <form noValidate aria-label={t('profile.form')} className={classes.form} onSubmit={onSubmit}>
      <Stack>
        <TextInput {...field('name')} autoComplete="name" data-autofocus ref={focusOnce} />
        <TextInput
          {...field('rollNumber')}
          description={t('profile.rollNumberHint')}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          {...lowerCased((text) => form.setFieldValue('rollNumber', text))}
        />
        <TextInput {...field('department')} autoComplete="off" />
        {failure !== null && (
          <Alert color="red" role="alert">
            {t('profile.failed', { reason: messageOf(failure) })}
          </Alert>
        )}
        <Group>
          <Button type="submit" loading={pending}>
            {t('profile.submit')}
          </Button>
          <Button variant="default" onClick={cancel}>
            {t('common.cancel')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

/** Focuses the first field when the form opens. */
function focusOnce(input: HTMLInputElement | null) {
  input?.focus()
}
