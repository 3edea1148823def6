import { Alert, Button, Group, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useAction } from '../../api/action'
import { updateProfile } from '../../api/account'
import { t } from '../../lib/messages'
import { messageOf, ProblemError } from '../../lib/problem'
import type { Profile, User } from '../../api/types'
import { labelOf, validators } from '../../api/validate'
import { focusFirstError, lowerAsTyped } from '../../lib/forms'
import { profileDraft } from './draft'
import classes from './ProfileScreen.module.css'

/** Name, roll number and department while they are edited. */
export function ProfileForm({ user, onClose }: { user: User; onClose: () => void }) {
  const update = useAction(updateProfile, { done: () => t('profile.done') })
  const form = useForm<Profile>({
    mode: 'controlled',
    initialValues: profileDraft.read(user.uid) ?? {
      name: user.name,
      rollNumber: user.rollNumber ?? '',
      department: user.department ?? '',
    },
    validate: validators('ProfileEdit'),
    onValuesChange: (values) => profileDraft.write(user.uid, values),
  })
  const fieldsAreWrong = update.error instanceof ProblemError && Object.keys(update.error.fields).length > 0

  function close() {
    profileDraft.remove(user.uid)
    onClose()
  }

  async function submit(values: Profile) {
    const outcome = await update.run(values)
    if (outcome.ok) close()
    else if (outcome.error instanceof ProblemError) {
      form.setErrors(outcome.error.fields)
      focusFirstError(outcome.error.fields)
    }
  }

  return (
    <form
      noValidate
      aria-label={t('profile.form')}
      className={classes.form}
      onSubmit={form.onSubmit((values) => void submit(values), focusFirstError)}
    >
      <Stack>
        <TextInput
          label={labelOf('ProfileEdit', 'name')}
          required
          withAsterisk={false}
          autoComplete="name"
          data-autofocus
          {...form.getInputProps('name')}
          data-field="name"
          ref={focusOnce}
        />
        <TextInput
          label={labelOf('ProfileEdit', 'rollNumber')}
          description={t('profile.rollNumberHint')}
          required
          withAsterisk={false}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          {...form.getInputProps('rollNumber')}
          data-field="rollNumber"
          onChange={(event) => lowerAsTyped(event, (text) => form.setFieldValue('rollNumber', text))}
        />
        <TextInput
          label={labelOf('ProfileEdit', 'department')}
          required
          withAsterisk={false}
          autoComplete="off"
          {...form.getInputProps('department')}
          data-field="department"
        />
        {update.error !== null && !fieldsAreWrong && (
          <Alert color="red" role="alert">
            {t('profile.failed', { reason: messageOf(update.error) })}
          </Alert>
        )}
        <Group>
          <Button type="submit" loading={update.pending}>
            {t('profile.submit')}
          </Button>
          <Button variant="default" onClick={close}>
            {t('common.cancel')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

/** The form was opened by a press on its button: typing may begin. */
function focusOnce(input: HTMLInputElement | null) {
  input?.focus()
}
