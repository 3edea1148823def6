import { Anchor, Button, PasswordInput, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link, useLocation, useNavigate } from 'react-router'
import { resetPassword } from '../../api/account'
import { forms } from '../../api/contract'
import { useContractForm } from '../../api/form'
import { linkQuery } from '../../api/passwordLink'
import { currentLanguage, rich, t } from '../../lib/messages'
import { isAskedForCode, messageOf, ProblemError } from '../../lib/problem'
import { useTitle } from '../../lib/title'
import { paths } from '../../screens'
import { AccountPage, Failure } from './AccountPage'
import { SecondStep, useEnter } from './SecondStep'

/** Sets a new password with a reset link (R-PEOPLE-3). */
export function Reset() {
  useTitle(t('account.reset.title'))
  // Browsers do not send the part after # to a server.
  const token = useLocation().hash.slice(1)
  return token === '' ? <NoForm>{t('account.reset.noLink')}</NoForm> : <Checked key={token} token={token} />
}

const isDead = (error: unknown) => error instanceof ProblemError && error.code === 'invalid-link'

/** Shows the form, unless the server knows the link to be dead. */
function Checked({ token }: { token: string }) {
  const { error } = useQuery(linkQuery(token))
  return isDead(error) ? <NoForm>{messageOf(error)}</NoForm> : <Form token={token} />
}

const NoForm = ({ children }: { children: ReactNode }) => (
  <AccountPage>
    <Heading />
    <Text mt="lg" role="status">
      {children}
    </Text>
    <Again />
  </AccountPage>
)

function Form({ token }: { token: string }) {
  const navigate = useNavigate()
  const enter = useEnter()
  const { field, onSubmit, pending, failure } = useContractForm('PasswordReset', {
    action: resetPassword,
    initial: { token, password: '', language: currentLanguage() },
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
      <Heading />
      <Text mt="xs" c="dimmed">
        {t('account.reset.what')}
      </Text>
      <Failure of={failure} />
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
      {isDead(failure) && <Again />}
    </AccountPage>
  )
}

const Heading = () => (
  <Title order={1} tabIndex={-1}>
    {t('account.reset.title')}
  </Title>
)

/** Link to request another reset link. */
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
