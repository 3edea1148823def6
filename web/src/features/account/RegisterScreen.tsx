import { Alert, Anchor, Button, NativeSelect, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from 'react-router'
import { register as registerAction } from '../../api/account'
import { useAction } from '../../api/action'
import { configQuery } from '../../api/config'
import { forms } from '../../api/contract'
import { messageOf, ProblemError } from '../../lib/problem'
import type { Registration } from '../../api/types'
import { labelOf, validators } from '../../api/validate'
import { rich, t } from '../../lib/messages'
import { paths, type CameFrom } from '../../lib/paths'
import { focusFirstError, lowerAsTyped } from '../../lib/forms'
import { useTitle } from '../../lib/title'
import { AccountPage } from './AccountPage'

const rules = forms.Registration

export default function RegisterScreen() {
  useTitle(t('account.register.title'))
  const navigate = useNavigate()
  const register = useAction(registerAction)
  const config = useQuery(configQuery)
  const form = useForm<Registration>({
    mode: 'controlled',
    initialValues: { name: '', email: '', password: '', rollNumber: '', department: '', batch: '' },
    validate: validators('Registration'),
  })

  async function submit(values: Registration) {
    const outcome = await register.run(values)
    if (outcome.ok) await navigate(paths.login(), { state: { email: values.email.trim() } satisfies CameFrom })
    else if (outcome.error instanceof ProblemError) {
      form.setErrors(outcome.error.fields)
      focusFirstError(outcome.error.fields)
    }
  }

  return (
    <AccountPage>
      <Title order={1} tabIndex={-1}>
        {t('account.register.title')}
      </Title>
      {register.error !== null && (
        <Alert color="red" mt="lg" role="alert">
          {messageOf(register.error)}
        </Alert>
      )}
      <form noValidate onSubmit={form.onSubmit((values) => void submit(values), focusFirstError)}>
        <Stack mt="lg">
          <TextInput
            label={labelOf('Registration', 'name')}
            required
            withAsterisk={false}
            autoComplete="name"
            {...form.getInputProps('name')}
            data-field="name"
          />
          <TextInput
            label={labelOf('Registration', 'email')}
            type="email"
            required
            withAsterisk={false}
            autoComplete="email"
            {...form.getInputProps('email')}
            data-field="email"
          />
          <PasswordInput
            label={labelOf('Registration', 'password')}
            description={t('account.register.passwordHint', { min: rules.password.minLength })}
            required
            withAsterisk={false}
            autoComplete="new-password"
            {...form.getInputProps('password')}
            data-field="password"
          />
          <TextInput
            label={labelOf('Registration', 'rollNumber')}
            description={t('account.register.rollNumberHint')}
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
            label={labelOf('Registration', 'department')}
            required
            withAsterisk={false}
            autoComplete="off"
            list="departments"
            {...form.getInputProps('department')}
            data-field="department"
          />
          <datalist id="departments">
            {config.data?.departments.map((department) => (
              <option key={department}>{department}</option>
            ))}
          </datalist>
          <NativeSelect
            label={labelOf('Registration', 'batch')}
            required
            withAsterisk={false}
            data={[
              { value: '', label: t('account.register.chooseYear'), disabled: true },
              ...(config.data?.batches ?? []),
            ]}
            {...form.getInputProps('batch')}
            error={form.errors.batch ?? (config.isError && messageOf(config.error))}
            data-field="batch"
          />
          <Button type="submit" size="md" loading={register.pending}>
            {t('account.register.title')}
          </Button>
        </Stack>
      </form>
      <Text mt="lg" c="dimmed">
        {rich('account.register.already', {
          link: (words) => (
            <Anchor component={Link} to={paths.login()}>
              {words}
            </Anchor>
          ),
        })}
      </Text>
    </AccountPage>
  )
}
