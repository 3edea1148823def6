import { Alert, Anchor, Button, PasswordInput, Skeleton, Stack, Text, TextInput, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useLocation, useNavigate } from 'react-router'
import { forms } from '../../api/contract'
import { useContractForm } from '../../api/form'
import { setUp, setupQuery } from '../../api/setup'
import { rich, t } from '../../lib/messages'
import { ProblemError } from '../../lib/problem'
import { storedRole } from '../../lib/storage'
import { useTitle } from '../../lib/title'
import { homeOf, paths } from '../../screens'
import { ErrorState } from '../../ui/ErrorState'
import { AccountPage, Failure } from './AccountPage'

/** Makes the first librarian of an empty library, with the code that the server printed. */
export default function SetupScreen() {
  useTitle(t('account.setup.title'))
  const query = useQuery({ ...setupQuery, refetchOnMount: 'always' })
  // Browsers do not send the part after # to a server.
  const { hash } = useLocation()
  return (
    <AccountPage>
      <Title order={1} tabIndex={-1}>
        {t('account.setup.title')}
      </Title>
      {query.data === true ? (
        <FirstLibrarian key={hash} given={hash.slice(1)} />
      ) : query.data === false ? (
        <Text mt="lg">
          {rich('account.setup.done', {
            link: (words) => (
              <Anchor component={Link} to={paths.login()}>
                {words}
              </Anchor>
            ),
          })}
        </Text>
      ) : query.isError ? (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      ) : (
        <Skeleton height={320} mt="lg" aria-hidden="true" />
      )}
    </AccountPage>
  )
}

function FirstLibrarian({ given }: { given: string }) {
  const navigate = useNavigate()
  const { field, onSubmit, pending, failure } = useContractForm('FirstLibrarian', {
    action: setUp,
    initial: { code: given, name: '', email: '', password: '' },
    onDone: ({ role }) => {
      storedRole.set(role)
      void navigate(homeOf(role), { replace: true })
    },
  })
  const refused = failure instanceof ProblemError && failure.code === 'invalid-setup-code'

  return (
    <>
      <Text mt="xs" c="dimmed">
        {t('account.setup.what')}
      </Text>
      <Failure of={failure} />
      {(given === '' || refused) && (
        <Alert mt="lg" title={t('account.setup.howTitle')}>
          {rich('account.setup.how', { code: (words) => <code>{words}</code> })}
        </Alert>
      )}
      <form noValidate onSubmit={onSubmit}>
        <Stack mt="lg">
          {(given === '' || refused) && (
            <TextInput
              {...field('code')}
              description={t('account.setup.codeHint')}
              autoComplete="one-time-code"
              autoCapitalize="characters"
              spellCheck={false}
            />
          )}
          <TextInput {...field('name')} autoComplete="name" />
          <TextInput
            {...field('email')}
            description={t('account.setup.emailHint')}
            type="email"
            autoComplete="username"
          />
          <PasswordInput
            {...field('password')}
            description={t('account.register.passwordHint', { min: forms.FirstLibrarian.password.minLength })}
            autoComplete="new-password"
          />
          <Button type="submit" size="md" loading={pending}>
            {t('account.setup.submit')}
          </Button>
        </Stack>
      </form>
    </>
  )
}
