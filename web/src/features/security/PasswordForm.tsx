import { Alert, Button, Group, PasswordInput, Stack, Text, Title } from '@mantine/core'
import { forms } from '../../api/contract'
import { useContractForm } from '../../api/form'
import { changePassword } from '../../api/security'
import { t } from '../../lib/messages'
import { messageOf } from '../../lib/problem'
import classes from './Security.module.css'

/** Form for a new password; other browsers are signed out. */
export function PasswordForm() {
  const { form, field, onSubmit, pending, failure } = useContractForm('PasswordChange', {
    action: changePassword,
    initial: { currentPassword: '', newPassword: '' },
    done: () => t('security.password.done'),
    onDone: () => form.reset(),
  })
  return (
    <section className={classes.part} aria-labelledby="password">
      <Title order={2} id="password">
        {t('security.password.title')}
      </Title>
      <form noValidate aria-labelledby="password" className={classes.form} onSubmit={onSubmit}>
        <Stack>
          <PasswordInput {...field('currentPassword')} autoComplete="current-password" />
          <PasswordInput
            {...field('newPassword')}
            description={t('account.register.passwordHint', { min: forms.PasswordChange.newPassword.minLength })}
            autoComplete="new-password"
          />
          {failure !== null && (
            <Alert color="red" role="alert">
              {messageOf(failure)}
            </Alert>
          )}
          <Group>
            <Button type="submit" loading={pending}>
              {t('security.password.submit')}
            </Button>
          </Group>
          <Text size="sm" c="dimmed">
            {t('security.password.what')}
          </Text>
        </Stack>
      </form>
    </section>
  )
}
