import { Alert, Anchor, Button, Checkbox, Group, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useEffect, useMemo, useRef, useState, type ChangeEvent } from 'react'
import { Link, useLocation, useNavigate, useSearchParams } from 'react-router'
import { sessionQuery, useSignIn } from '../../api/account'
import { messageOf } from '../../lib/problem'
import type { User } from '../../api/types'
import { loadChunk } from '../../lib/chunks'
import { homeOf, paths, safeNext } from '../../lib/paths'
import { storedRole } from '../../lib/storage'
import { Boundary } from '../../ui/Boundary'
import { CardIcon } from '../../ui/icons'
import { useTitle } from '../../lib/title'
import { AccountPage } from './AccountPage'
import { useKeyboardWedge } from './keyboardWedge'
import { isMasked } from './lookupMessage'
import { isRegistered } from './registered'
import classes from './SignInScreen.module.css'
import { useCardLookup, type CardAnswer } from './useCardLookup'

/** Made anew for each opening: one that did not arrive is asked for again. */
const scannerPanel = () => lazy(() => loadChunk('scanner', () => import('../scanner')))

const NOT_LOADED = 'The scanner could not be loaded. Check your connection and try again.'

export default function SignInScreen() {
  useTitle('Sign in')
  const navigate = useNavigate()
  const { state } = useLocation()
  const next = safeNext(useSearchParams()[0].get('next'))
  const registered = isRegistered(state) ? state : null
  const signIn = useSignIn()
  const [scanning, setScanning] = useState(false)
  const [openings, setOpenings] = useState(0)
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- counted for this alone
  const ScannerPanel = useMemo(scannerPanel, [openings])
  const [found, setFound] = useState('')
  const card = useCardLookup()
  const email = useRef<HTMLInputElement>(null)
  const password = useRef<HTMLInputElement>(null)
  const toggle = useRef<HTMLButtonElement>(null)
  const sheet = useRef<HTMLFormElement>(null)
  /** The address that a card filled in last. */
  const ofCard = useRef('')
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
    card.forget()
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

  /** Looks up whose card it is and fills the email in. */
  async function findCard(code: string): Promise<CardAnswer | null> {
    setFound('')
    const answer = await card.find(code)
    if (!answer || !('email' in answer)) return answer
    signIn.reset()
    setScanning(false)
    if (isMasked(answer.email)) {
      setFound(`Card found: ${answer.email}. Enter your full email address.`)
      email.current?.focus()
    } else {
      setFound(`Card found: ${answer.email}. Enter your password.`)
      ofCard.current = answer.email
      form.setFieldValue('email', answer.email)
      password.current?.focus()
      password.current?.select()
    }
    return answer
  }

  const offersCard = useQuery(sessionQuery).data?.idCard !== false
  useKeyboardWedge(offersCard, ({ code, place, putBack }) => {
    void (async () => {
      const answer = await findCard(code)
      if (!answer || 'email' in answer) return
      if (place !== 'password') return putBack()
      // With an address that somebody typed before it, this was a password out of a program that types.
      const address = form.getValues().email
      if (address === '' || address === ofCard.current) return
      putBack()
      sheet.current?.requestSubmit()
    })()
  })

  /** Whoever types an address or a password no longer waits for a card. */
  function typed(name: 'email' | 'password') {
    const props = form.getInputProps(name)
    return {
      ...props,
      onChange: (event: ChangeEvent<HTMLInputElement>) => {
        card.cancel()
        props.onChange(event)
      },
    }
  }

  function showScanner(shown: boolean) {
    if (shown) setOpenings(openings + 1)
    setScanning(shown)
    setFound('')
    card.forget()
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
      <form ref={sheet} onSubmit={form.onSubmit((values) => void submit(values))}>
        <Stack mt="lg">
          <TextInput
            label="Email"
            type="email"
            required
            withAsterisk={false}
            autoComplete="username"
            ref={email}
            {...typed('email')}
          />
          {offersCard && (
            <Button
              ref={toggle}
              variant={scanning ? 'light' : 'default'}
              leftSection={<CardIcon />}
              aria-expanded={scanning}
              aria-controls="scanner"
              onClick={() => showScanner(!scanning)}
            >
              Scan ID Card
            </Button>
          )}
          {card.refusal !== null && (
            <Text size="sm" c="var(--mantine-color-error)" role="alert">
              {card.refusal}
            </Text>
          )}
          <div id="scanner" hidden={!scanning}>
            {scanning && (
              <Boundary key={openings} fallback={<NotLoaded onRetry={() => showScanner(true)} />}>
                <Suspense fallback={<Text c="dimmed">Loading the scanner…</Text>}>
                  <ScannerPanel
                    onCode={async (code) => {
                      const answer = await findCard(code)
                      return { again: answer !== null && 'refusal' in answer && answer.passing }
                    }}
                    onOther={card.forget}
                    onClose={() => {
                      showScanner(false)
                      toggle.current?.focus()
                    }}
                    looking={card.looking}
                  />
                </Suspense>
              </Boundary>
            )}
          </div>
          <Text size="sm" role="status" className={classes.found}>
            {card.looking && !scanning ? 'Looking up card…' : found}
          </Text>
          <PasswordInput
            ref={password}
            label="Password"
            required
            withAsterisk={false}
            autoComplete="current-password"
            {...typed('password')}
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

function NotLoaded({ onRetry }: { onRetry: () => void }) {
  return (
    <Stack gap="xs" align="flex-start">
      <Text role="alert">{NOT_LOADED}</Text>
      <Button variant="default" size="sm" onClick={onRetry}>
        Try again
      </Button>
    </Stack>
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
