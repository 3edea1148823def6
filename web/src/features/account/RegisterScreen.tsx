import {
  Alert,
  Anchor,
  Button,
  NativeSelect,
  PasswordInput,
  Stack,
  Text,
  TextInput,
  Title,
  VisuallyHidden,
} from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from 'react-router'
import { register } from '../../api/account'
import { configQuery } from '../../api/config'
import { forms } from '../../api/contract'
import { useContractForm } from '../../api/form'
import { messageOf, ProblemError } from '../../lib/problem'
import { rich, t } from '../../lib/messages'
import { type CameFrom } from '../../lib/paths'
import { paths } from '../../screens'
import { lowerCased } from '../../lib/forms'
import { useTitle } from '../../lib/title'
import { AccountPage } from './AccountPage'

const rules = forms.Registration
/** Refusals of details that the library already has, such as those of an imported person. */
const KNOWN: ReadonlySet<string> = new Set(['email-taken', 'roll-number-taken'])

export default function RegisterScreen() {
  useTitle(t('account.register.title'))
  const navigate = useNavigate()
  const config = useQuery(configQuery)
  const {
    form,
    field: plain,
    onSubmit,
    pending,
    error,
  } = useContractForm('Registration', {
    action: register,
    initial: { name: '', email: '', password: '', rollNumber: '', department: '', batch: '' },
    onDone: (_user, { email }) => void navigate(paths.login(), { state: { email: email.trim() } satisfies CameFrom }),
  })

  /** Returns a field's props. A single error in the alert is not repeated below, but read out with the field (R-REG-4). */
  function field(name: keyof typeof rules) {
    const input = plain(name)
    const alone = error instanceof ProblemError && Object.keys(error.fields).length === 1
    return alone && input.error === error.fields[name]
      ? { ...input, error: input.error && <VisuallyHidden>{input.error}</VisuallyHidden> }
      : input
  }

  return (
    <AccountPage>
      <Title order={1} tabIndex={-1}>
        {t('account.register.title')}
      </Title>
      {error !== null && (
        <Alert color="red" mt="lg" role="alert">
          {messageOf(error)}
          {error instanceof ProblemError && KNOWN.has(error.code) && (
            <Text mt="xs" size="sm" c="inherit">
              {rich('account.register.known', {
                link: (words) => (
                  <Anchor component={Link} to={paths.redeem()} size="sm" c="inherit" underline="always">
                    {words}
                  </Anchor>
                ),
              })}
            </Text>
          )}
        </Alert>
      )}
      <form noValidate onSubmit={onSubmit}>
        <Stack mt="lg">
          <TextInput {...field('name')} autoComplete="name" />
          <TextInput {...field('email')} type="email" autoComplete="email" />
          <PasswordInput
            {...field('password')}
            description={t('account.register.passwordHint', { min: rules.password.minLength })}
            autoComplete="new-password"
          />
          <TextInput
            {...field('rollNumber')}
            description={t('account.register.rollNumberHint')}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            {...lowerCased((text) => form.setFieldValue('rollNumber', text))}
          />
          <TextInput {...field('department')} autoComplete="off" list="departments" />
          <datalist id="departments">
            {config.data?.departments.map((department) => (
              <option key={department}>{department}</option>
            ))}
          </datalist>
          <NativeSelect
            {...field('batch')}
            data={[
              { value: '', label: t('account.register.chooseYear'), disabled: true },
              ...(config.data?.batches ?? []),
            ]}
            error={form.errors.batch ?? (config.isError && messageOf(config.error))}
          />
          <Button type="submit" size="md" loading={pending}>
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
