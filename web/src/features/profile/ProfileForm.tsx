import { Alert, Button, Group, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { isSignedOut } from '../../api/client'
import { useUpdateProfile } from '../../api/account'
import { messageOf, ProblemError } from '../../lib/problem'
import type { Profile, User } from '../../api/types'
import { validators } from '../../api/validate'
import { notify } from '../../lib/notify'
import { focusFirstError, lowerAsTyped } from '../../lib/forms'
import { profileDraft } from './draft'
import classes from './ProfileScreen.module.css'

const FAILED = 'Your profile could not be updated.'

/** Name, roll number and department while they are edited. */
export function ProfileForm({ user, onClose }: { user: User; onClose: () => void }) {
  const update = useUpdateProfile()
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
    try {
      await update.mutateAsync(values)
    } catch (error) {
      if (isSignedOut(error)) return
      console.error(FAILED, error)
      if (error instanceof ProblemError) {
        form.setErrors(error.fields)
        focusFirstError(error.fields)
      }
      return
    }
    notify.success('Profile updated.')
    close()
  }

  return (
    <form
      noValidate
      aria-label="Edit profile"
      className={classes.form}
      onSubmit={form.onSubmit((values) => void submit(values), focusFirstError)}
    >
      <Stack>
        <TextInput
          label="Full name"
          required
          withAsterisk={false}
          autoComplete="name"
          data-autofocus
          {...form.getInputProps('name')}
          data-field="name"
          ref={focusOnce}
        />
        <TextInput
          label="Roll number"
          description="As on your ID card."
          required
          withAsterisk={false}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          {...form.getInputProps('rollNumber')}
          data-field="rollNumber"
          onChange={(event) => lowerAsTyped(event.currentTarget, (text) => form.setFieldValue('rollNumber', text))}
        />
        <TextInput
          label="Department"
          required
          withAsterisk={false}
          autoComplete="organization"
          {...form.getInputProps('department')}
          data-field="department"
        />
        {update.isError && !fieldsAreWrong && (
          <Alert color="red" role="alert">
            {FAILED} {messageOf(update.error)}
          </Alert>
        )}
        <Group>
          <Button type="submit" loading={update.isPending}>
            Update
          </Button>
          <Button variant="default" onClick={close}>
            Cancel
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
