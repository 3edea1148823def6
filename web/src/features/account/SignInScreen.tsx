import { Alert, Anchor, Button, Checkbox, Group, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { Link, useLocation, useNavigate, useSearchParams } from 'react-router'
import { sessionQuery, useIdCardLookup, useSignIn } from '../../api/account'
import { messageOf, ProblemError } from '../../api/problem'
import type { User } from '../../api/types'
import { loadChunk } from '../../app/chunks'
import { paths, safeNext } from '../../app/paths'
import { homeOf } from '../../app/session'
import { storedRole } from '../../app/storage'
import { Boundary } from '../../ui/Boundary'
import { CardIcon, CloseIcon } from '../../ui/icons'
import { useTitle } from '../../ui/title'
import { AccountPage } from './AccountPage'
import { useHandScanner } from './handScanner'
import { isMasked, lookupMessage } from './lookupMessage'
import { isRegistered } from './registered'
import classes from './SignInScreen.module.css'

/** Made anew for each opening: one that did not arrive is asked for again. */
const scannerPanel = () => lazy(() => loadChunk('scanner', () => import('../scanner')))

const NOT_LOADED = 'The scanner could not be loaded. Check your connection, and press Scan ID Card twice to try again.'

export default function SignInScreen() {
  useTitle('Sign in')
  const navigate = useNavigate()
  const { state } = useLocation()
  const next = safeNext(useSearchParams()[0].get('next'))
  const registered = isRegistered(state) ? state : null
  const signIn = useSignIn()
  const [scanning, setScanning] = useState(false)
  const [ScannerPanel, setScannerPanel] = useState(scannerPanel)
  const [found, setFound] = useState('')
  const card = useIdCardLookup()
  const email = useRef<HTMLInputElement>(null)
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
    setFound('')
    card.reset()
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

  /** Looks up whose card it is and fills the email in; true when somebody was found. */
  async function findCard(code: string): Promise<boolean> {
    // One at a time; a scanner that goes on reads the card again.
    if (card.isPending) return false
    setFound('')
    try {
      const holder = await card.mutateAsync(code)
      signIn.reset()
      setScanning(false)
      if (isMasked(holder.email)) {
        setFound(`Card found: ${holder.email}. Only a part of the address is shown here: please type your email.`)
        email.current?.focus()
        email.current?.select()
      } else {
        setFound(`Card found: ${holder.email}. Now enter your password.`)
        form.setFieldValue('email', holder.email)
        password.current?.focus()
        password.current?.select()
      }
      return true
    } catch (error) {
      // Shown under the button by the state of the mutation.
      if (!(error instanceof ProblemError)) console.error(error)
      return false
    }
  }

  useHandScanner(({ code, putBack }) => {
    void (async () => {
      if (!(await findCard(code))) putBack()
    })()
  })

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
            ref={email}
            {...form.getInputProps('email')}
          />
          <Button
            variant="default"
            leftSection={scanning ? <CloseIcon /> : <CardIcon />}
            aria-expanded={scanning}
            aria-controls="scanner"
            onClick={() => {
              if (!scanning) setScannerPanel(scannerPanel())
              setScanning(!scanning)
              setFound('')
              card.reset()
            }}
          >
            Scan ID Card
          </Button>
          {card.isError && (
            <Text size="sm" c="var(--mantine-color-error)" role="alert">
              {lookupMessage(card.error)}
            </Text>
          )}
          <div id="scanner" hidden={!scanning}>
            {scanning && (
              <Boundary fallback={<Text role="alert">{NOT_LOADED}</Text>}>
                <Suspense fallback={<Text c="dimmed">Getting the scanner ready…</Text>}>
                  <ScannerPanel onCode={(code) => void findCard(code)} looking={card.isPending} />
                </Suspense>
              </Boundary>
            )}
          </div>
          <Text size="sm" role="status" className={classes.found}>
            {found}
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
