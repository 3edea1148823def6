import { Alert, Anchor, Button, Checkbox, Group, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { Link, useLocation, useNavigate, useSearchParams } from 'react-router'
import { sessionQuery, useSignIn } from '../../api/account'
import { messageOf } from '../../api/problem'
import type { User } from '../../api/types'
import { loadChunk } from '../../app/chunks'
import { paths, safeNext } from '../../app/paths'
import { homeOf } from '../../app/session'
import { storedRole } from '../../app/storage'
import { CardIcon } from '../../ui/icons'
import { useTitle } from '../../ui/title'
import { AccountPage } from './AccountPage'
import { isRegistered } from './registered'

const ScannerPanel = lazy(() => loadChunk('scanner', () => import('../scanner')))

export default function SignInScreen() {
  useTitle('Sign in')
  const navigate = useNavigate()
  const { state } = useLocation()
  const next = safeNext(useSearchParams()[0].get('next'))
  const registered = isRegistered(state) ? state : null
  const signIn = useSignIn()
  const [scanning, setScanning] = useState(false)
  const [filled, setFilled] = useState('')
  const password = useRef<HTMLInputElement>(null)
  const form = useForm({
    mode: 'controlled',
    initialValues: { email: registered?.email ?? '', password: '', remember: false },
  })

  // Coming from the registration, only the password is missing.
  useEffect(() => {
    if (registered) password.current?.focus()
  }, [registered])

  async function submit(values: typeof form.values) {
    setFilled('')
    try {
      enter(await signIn.mutateAsync(values))
    } catch {
      // Shown above the form by the state of the mutation; the password is what is typed again.
      password.current?.select()
    }
  }

  function enter(user: User) {
    storedRole.set(user.role)
    void navigate(next ?? homeOf(user.role), { replace: true })
  }

  function fillEmail(email: string) {
    form.setFieldValue('email', email)
    signIn.reset()
    setScanning(false)
    setFilled(`Card found: ${email}. Now enter your password.`)
    password.current?.focus()
  }

  return (
    <AccountPage>
      <Title order={1} tabIndex={-1}>
        Sign in
      </Title>
      <Continue onContinue={enter} />
      {registered && !signIn.isError && (
        <Alert color="teal" mt="lg" role="status">
          Account created.
        </Alert>
      )}
      {signIn.isError && (
        <Alert color="red" mt="lg" role="alert">
          {messageOf(signIn.error)}
        </Alert>
      )}
      <form onSubmit={form.onSubmit((values) => void submit(values))}>
        <Stack mt="lg">
          <TextInput
            label="Email"
            type="email"
            required
            withAsterisk={false}
            autoComplete="username"
            {...form.getInputProps('email')}
          />
          <Button
            variant="default"
            leftSection={<CardIcon />}
            aria-expanded={scanning}
            aria-controls="scanner"
            onClick={() => {
              setScanning(!scanning)
              setFilled('')
            }}
          >
            Scan ID Card
          </Button>
          <div id="scanner" hidden={!scanning}>
            {scanning && (
              <Suspense fallback={<Text c="dimmed">Getting the scanner ready…</Text>}>
                <ScannerPanel onEmail={fillEmail} />
              </Suspense>
            )}
          </div>
          <Text size="sm" role="status" hidden={filled === ''}>
            {filled}
          </Text>
          <PasswordInput
            ref={password}
            label="Password"
            required
            withAsterisk={false}
            autoComplete="current-password"
            {...form.getInputProps('password')}
          />
          <Checkbox label="Keep me signed in" {...form.getInputProps('remember', { type: 'checkbox' })} />
          <Button type="submit" size="md" loading={signIn.isPending}>
            Sign In
          </Button>
        </Stack>
      </form>
      <Text mt="lg" c="dimmed">
        New here?{' '}
        <Anchor component={Link} to={paths.register()}>
          Register
        </Anchor>
      </Text>
    </AccountPage>
  )
}

/** Somebody is signed in already: one press leads on instead of the form. */
function Continue({ onContinue }: { onContinue: (user: User) => void }) {
  const user = useQuery(sessionQuery).data?.user
  if (!user) return null
  return (
    <Group mt="lg" justify="space-between" wrap="nowrap">
      <Text size="sm" c="dimmed">
        You are signed in as {user.name}.
      </Text>
      <Button variant="default" size="sm" flex="none" onClick={() => onContinue(user)}>
        Continue
      </Button>
    </Group>
  )
}
