import { Alert, Anchor, Button, PasswordInput, Stack, Text, Title } from '@mantine/core'
import { Link, useLocation, useNavigate } from 'react-router'
import { resetPassword } from '../../api/account'
import { forms } from '../../api/contract'
import { useContractForm } from '../../api/form'
import type { User } from '../../api/types'
import { currentLanguage, rich, t } from '../../lib/messages'
import { isAskedForCode, messageOf, ProblemError } from '../../lib/problem'
import { storedRole } from '../../lib/storage'
import { useTitle } from '../../lib/title'
import { homeOf, paths } from '../../screens'
import { AccountPage } from './AccountPage'
import { SecondStep } from './SecondStep'

/** Chooses a password with a link from a mail (R-PEOPLE-3). */
export function Reset() {
  useTitle(t('account.reset.title'))
  // Browsers send the part behind # to no server.
  const token = useLocation().hash.slice(1)
  return token === '' ? (
    <AccountPage>
      <Heading />
      <Text mt="lg">{t('account.reset.noLink')}</Text>
      <Again />
    </AccountPage>
  ) : (
    <Form key={token} token={token} />
  )
}

function Form({ token }: { token: string }) {
  const navigate = useNavigate()
  const { field, onSubmit, pending, failure } = useContractForm('PasswordReset', {
    action: resetPassword,
    initial: { token, password: '', language: currentLanguage() },
    onDone: enter,
  })

  function enter(user: User) {
    storedRole.set(user.role)
    void navigate(homeOf(user.role), { replace: true })
  }

  // The password is set, and the account has a second factor.
  if (isAskedForCode(failure))
    return (
      <AccountPage>
        <SecondStep onEnter={enter} onAgain={() => void navigate(paths.login())} />
      </AccountPage>
    )

  const isUsed = failure instanceof ProblemError && failure.code === 'invalid-link'
  return (
    <AccountPage>
      <Heading />
      <Text mt="xs" c="dimmed">
        {t('account.reset.what')}
      </Text>
      {failure !== null && (
        <Alert color="red" mt="lg" role="alert">
          {messageOf(failure)}
        </Alert>
      )}
      <form noValidate onSubmit={onSubmit}>
        <Stack mt="lg">
          <PasswordInput
            {...field('password')}
            label={t('account.redeem.password')}
            description={t('account.register.passwordHint', { min: forms.Registration.password.minLength })}
            autoComplete="new-password"
          />
          <Button type="submit" size="md" loading={pending}>
            {t('account.reset.submit')}
          </Button>
        </Stack>
      </form>
      {isUsed && <Again />}
    </AccountPage>
  )
}

const Heading = () => (
  <Title order={1} tabIndex={-1}>
    {t('account.reset.title')}
  </Title>
)

/** Leads to another link. */
const Again = () => (
  <Text mt="lg" c="dimmed">
    {rich('account.reset.again', {
      link: (words) => (
        <Anchor component={Link} to={paths.forgot()}>
          {words}
        </Anchor>
      ),
    })}
  </Text>
)
