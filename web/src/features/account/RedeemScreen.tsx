import { Anchor, Button, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core'
import { Link, useNavigate } from 'react-router'
import { redeem } from '../../api/account'
import { forms } from '../../api/contract'
import { useContractForm } from '../../api/form'
import { lowerCased } from '../../lib/forms'
import { rich, t } from '../../lib/messages'
import { paths } from '../../screens'
import { isAskedForCode } from '../../lib/problem'
import { useTitle } from '../../lib/title'
import { AccountPage, Failure } from './AccountPage'
import { SecondStep, useEnter } from './SecondStep'

/** Sets the first or a new password with a code from the library's desk (R-PEOPLE-3). */
export default function RedeemScreen() {
  useTitle(t('account.redeem.title'))
  const navigate = useNavigate()
  const enter = useEnter()
  const { form, field, onSubmit, pending, failure } = useContractForm('Redemption', {
    action: redeem,
    initial: { rollNumber: '', email: '', code: '', password: '' },
    onDone: enter,
  })

  // The password is set, and the account has a second factor.
  if (isAskedForCode(failure))
    return (
      <AccountPage>
        <SecondStep onEnter={enter} onAgain={() => void navigate(paths.login())} />
      </AccountPage>
    )

  return (
    <AccountPage>
      <Title order={1} tabIndex={-1}>
        {t('account.redeem.title')}
      </Title>
      <Text mt="xs" c="dimmed">
        {t('account.redeem.what')}
      </Text>
      <Failure of={failure} />
      <form noValidate onSubmit={onSubmit}>
        <Stack mt="lg">
          <TextInput
            {...field('code')}
            description={t('account.redeem.codeHint')}
            autoComplete="one-time-code"
            autoCapitalize="characters"
            spellCheck={false}
          />
          <TextInput
            {...field('rollNumber')}
            required={false}
            description={t('account.redeem.rollNumberHint')}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            {...lowerCased((text) => form.setFieldValue('rollNumber', text))}
          />
          <TextInput
            {...field('email')}
            required={false}
            description={t('account.redeem.emailHint')}
            type="email"
            autoComplete="username"
          />
          <PasswordInput
            {...field('password')}
            label={t('account.redeem.password')}
            description={t('account.register.passwordHint', { min: forms.Registration.password.minLength })}
            autoComplete="new-password"
          />
          <Button type="submit" size="md" loading={pending}>
            {t('account.redeem.submit')}
          </Button>
        </Stack>
      </form>
      <Text mt="lg" c="dimmed">
        {rich('account.redeem.back', {
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
