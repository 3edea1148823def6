import { Anchor, Button, Stack, Text, TextInput, Title } from '@mantine/core'
import { useState } from 'react'
import { Link, useLocation } from 'react-router'
import { askForLink } from '../../api/account'
import { useContractForm } from '../../api/form'
import { focusHere } from '../../lib/focus'
import { currentLanguage, rich, t } from '../../lib/messages'
import { useTitle } from '../../lib/title'
import { paths } from '../../screens'
import { AccountPage, Failure } from './AccountPage'

/** Requests a password reset link; shows the same text for every address (R-PEOPLE-3). */
export function Forgot() {
  useTitle(t('account.forgot.title'))
  // Email typed at sign-in, from the history entry: bystanders can read an address bar, and logs keep addresses.
  const { email: typed = '' } = (useLocation().state ?? {}) as { email?: string }
  const [sentTo, setSentTo] = useState<string | null>(null)
  const { field, onSubmit, pending, failure } = useContractForm('ForgottenPassword', {
    action: askForLink,
    initial: { email: typed, language: currentLanguage() },
    onDone: (_nothing, { email }) => setSentTo(email.trim()),
  })

  return (
    <AccountPage>
      <Title order={1} tabIndex={-1}>
        {t('account.forgot.title')}
      </Title>
      {sentTo === null ? (
        <>
          <Text mt="xs" c="dimmed">
            {t('account.forgot.what')}
          </Text>
          <Failure of={failure} />
          <form noValidate onSubmit={onSubmit}>
            <Stack mt="lg">
              <TextInput {...field('email')} type="email" autoComplete="username" />
              <Button type="submit" size="md" loading={pending}>
                {t('account.forgot.submit')}
              </Button>
            </Stack>
          </form>
        </>
      ) : (
        <Stack mt="lg" gap="xs" ref={focusHere} tabIndex={-1} role="status">
          <Text>{t('account.forgot.sent', { email: sentTo })}</Text>
          <Text c="dimmed">{t('account.forgot.notThere')}</Text>
        </Stack>
      )}
      <Text mt="lg" c="dimmed">
        {rich('account.forgot.back', {
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
