import { Alert, Anchor, Button, PasswordInput, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useEffectEvent } from 'react'
import { Link, useNavigate } from 'react-router'
import { sessionQuery } from '../../api/account'
import { useContractForm } from '../../api/form'
import { linkProvider } from '../../api/provider'
import type { User } from '../../api/types'
import { rich, t } from '../../lib/messages'
import { paths } from '../../screens'
import { isAskedForCode, messageOf } from '../../lib/problem'
import { SecondStep } from './SecondStep'

type Props = { end: string; next: string | null; onEnter: (user: User) => void }

/** Return from the college's provider: signs in, or asks for the second factor, or once for the library password. */
export function ProviderReturn({ end, next, onEnter }: Props) {
  if (end === 'done') return <SignedIn next={next} onEnter={onEnter} />
  if (end === 'code') return <AskCode next={next} onEnter={onEnter} />
  return <AskPassword next={next} onEnter={onEnter} />
}

function AskCode({ next, onEnter }: Omit<Props, 'end'>) {
  const navigate = useNavigate()
  const again = () => void navigate(paths.login(next ?? undefined), { replace: true })
  return <SecondStep onEnter={onEnter} onAgain={again} />
}

function SignedIn({ next, onEnter }: Omit<Props, 'end'>) {
  const { data, error } = useQuery(sessionQuery)
  const enter = useEffectEvent(onEnter)
  const user = data?.user
  useEffect(() => {
    if (user) enter(user)
  }, [user])
  if (!data && !error) return <Text role="status">{t('account.provider.arriving')}</Text>
  if (user) return null
  return (
    <>
      <Title order={1} tabIndex={-1}>
        {t('account.signIn.title')}
      </Title>
      <Alert color="red" mt="lg" role="alert">
        {error ? messageOf(error) : t('account.provider.noSession')}
      </Alert>
      <Again next={next} />
    </>
  )
}

function AskPassword({ next, onEnter }: Omit<Props, 'end'>) {
  const provider = useQuery(sessionQuery).data?.provider ?? ''
  const { field, onSubmit, pending, failure } = useContractForm('ProviderLink', {
    action: linkProvider,
    initial: { password: '' },
    onDone: onEnter,
  })
  if (isAskedForCode(failure)) return <AskCode next={next} onEnter={onEnter} />
  return (
    <>
      <Title order={1} tabIndex={-1}>
        {t('account.provider.linkTitle')}
      </Title>
      <Text mt="xs" c="dimmed">
        {t('account.provider.linkWhat', { provider })}
      </Text>
      {failure !== null && (
        <Alert color="red" mt="lg" role="alert">
          {messageOf(failure)}
        </Alert>
      )}
      <form noValidate onSubmit={onSubmit}>
        <Stack mt="lg">
          <PasswordInput {...field('password')} autoComplete="current-password" />
          <Button type="submit" size="md" loading={pending}>
            {t('account.provider.link')}
          </Button>
        </Stack>
      </form>
      <Text mt="lg" c="dimmed">
        {rich('account.provider.linkLost', {
          link: (words) => (
            <Anchor component={Link} to={paths.redeem()}>
              {words}
            </Anchor>
          ),
        })}
      </Text>
      <Again next={next} />
    </>
  )
}

function Again({ next }: { next: string | null }) {
  return (
    <Text mt="lg" c="dimmed">
      {rich('account.provider.toSignIn', {
        link: (words) => (
          <Anchor component={Link} to={paths.login(next ?? undefined)}>
            {words}
          </Anchor>
        ),
      })}
    </Text>
  )
}
