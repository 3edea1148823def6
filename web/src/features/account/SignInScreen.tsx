import { Alert, Anchor, Button, Checkbox, Group, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState, type ChangeEvent, type SubmitEvent } from 'react'
import { Link, Navigate, useLocation, useNavigate, useSearchParams } from 'react-router'
import { sessionQuery, signIn as signInAction } from '../../api/account'
import { useAction } from '../../api/action'
import { isAskedForCode } from '../../lib/problem'
import type { User } from '../../api/types'
import { focusFirstError, focusIsFree, scrollHere } from '../../lib/focus'
import { useKeyboardWedge } from '../../lib/keyboardWedge'
import { DESK_WAITS, passLateScan, lateCodes, lateScanMsLeft } from '../../lib/lateScans'
import { Chunk, lazyChunk } from '../../lib/lazyChunk'
import { loadWords, rich, t } from '../../lib/messages'
import { safeNext, type CameFrom } from '../../lib/paths'
import { homeOf, paths } from '../../screens'
import { storage, storedRole } from '../../lib/storage'
import { Barcode } from 'lucide-react'
import { useTitle } from '../../lib/title'
import { AccountPage, Failure } from './AccountPage'
import { isMasked } from './lookupMessage'
import { NotLoaded } from '../../ui/NotLoaded'
import classes from './SignInScreen.module.css'
import { useCardLookup, type CardAnswer } from './useCardLookup'

const ScannerPanel = lazyChunk('scanner', async () => {
  const [panel] = await Promise.all([import('../scanner'), loadWords('common', 'scanner')])
  return panel
})

/** Chunk of the other ways to sign in, the second step, and the return from the college's provider. */
const ways = async () => (await Promise.all([import('./ways'), loadWords('common', 'account')]))[0]
const OtherWays = lazyChunk('ways', async () => ({ default: (await ways()).OtherWays }))
const ProviderReturn = lazyChunk('ways', async () => ({ default: (await ways()).ProviderReturn }))
const SecondStep = lazyChunk('ways', async () => ({ default: (await ways()).SecondStep }))

export default function SignInScreen() {
  useTitle(t('account.signIn.title'))
  const navigate = useNavigate()
  const [search] = useSearchParams()
  const [end, next] = [search.get('provider'), safeNext(search.get('next'))]

  function enter(user: User) {
    storedRole.set(user.role)
    void navigate(next ?? homeOf(user.role), { replace: true })
  }

  if (end !== 'done' && end !== 'password' && end !== 'code') return <SignInForm end={end} next={next} enter={enter} />
  return (
    <AccountPage>
      <Chunk part={ProviderReturn}>
        <ProviderReturn end={end} next={next} onEnter={enter} />
      </Chunk>
    </AccountPage>
  )
}

/** Field that is typed into. */
type Name = 'email' | 'password'

type FormProps = { end: string | null; next: string | null; enter: (user: User) => void }

function SignInForm({ end, next, enter }: FormProps) {
  const { email: registered, sessionEnded } = (useLocation().state ?? {}) as CameFrom
  const signIn = useAction(signInAction)
  const [scanning, setScanning] = useState(false)
  const [found, setFound] = useState(waitingWords)
  const [deskWaits] = useState(deskWaitsWords)
  const card = useCardLookup()
  const email = useRef<HTMLInputElement>(null)
  const password = useRef<HTMLInputElement>(null)
  const toggle = useRef<HTMLButtonElement>(null)
  const sheet = useRef<HTMLFormElement>(null)
  /** Address last filled in from a card. */
  const ofCard = useRef('')
  // The browser validates the fields: the form library is loaded with the forms that need it.
  const [errors, setErrors] = useState<Partial<Record<Name, string>>>({})
  const [values, setValues] = useState({ email: registered ?? '', password: '', remember: false })

  /** Sets values, and removes the errors of the last try. */
  function fill(changes: Partial<typeof values>) {
    setErrors({})
    setValues((before) => ({ ...before, ...changes }))
  }

  // After registration only the password is missing. On a phone the keyboard would cover the page.
  useEffect(() => {
    if (registered) password.current?.focus()
    else if (focusIsFree() && matchMedia('(pointer: fine)').matches) {
      email.current?.focus({ preventScroll: true })
    }
  }, [registered])

  async function submit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault()
    const wrong: typeof errors = {}
    for (const { name, validity } of event.currentTarget.querySelectorAll<HTMLInputElement>(':invalid')) {
      const label = t(`account.signIn.${name as Name}`)
      wrong[name as Name] = t(validity.valueMissing ? 'field.required' : 'field.notEmail', { label })
    }
    setErrors(wrong)
    focusFirstError(wrong)
    if (wrong.email ?? wrong.password) return
    setFound('')
    setOtherFailure(null)
    card.forget()
    const outcome = await signIn.run(values)
    if (outcome.ok) enter(outcome.output)
    // The failure is shown above the form; the password is selected for retyping.
    else password.current?.select()
  }

  /** Looks up the owner of a card and fills the email in. */
  async function findCard(code: string): Promise<CardAnswer | null> {
    setFound('')
    const answer = await card.find(code)
    if (!answer || !('email' in answer)) return answer
    signIn.reset()
    setScanning(false)
    if (isMasked(answer.email)) {
      setFound(t('account.card.foundMasked', { email: answer.email }))
      email.current?.focus()
    } else {
      setFound(t('account.card.found', { email: answer.email }))
      ofCard.current = answer.email
      fill({ email: answer.email })
      password.current?.focus()
      password.current?.select()
    }
    return answer
  }

  const session = useQuery(sessionQuery).data
  const offersCard = session?.idCard !== false
  /** Failure of another way to sign in. */
  const [otherFailure, setOtherFailure] = useState<string | null>(null)
  // In the second step a password manager may type a code; that code is not a card's.
  const asked = isAskedForCode(signIn.error)
  const isLate = useLate()
  useKeyboardWedge(
    (offersCard || isLate) && !asked,
    ({ code, place, putBack }) => {
      const isSecret = place === 'password' || code.includes('@')
      if (!isSecret && passLateScan(code)) return setFound(waitingWords())
      if (isLate && isSecret) return putBack()
      void (async () => {
        const answer = await findCard(code)
        if (!answer || 'email' in answer) return
        // Typed text may have been meant for the field, so it is put back, except in the email field: no roll number is
        // an address.
        if (place !== 'password') return document.activeElement === email.current ? undefined : putBack()
        // After an address typed by hand, this was a password from a password manager.
        const address = email.current?.value ?? ''
        if (address === '' || address === ofCard.current) return
        putBack()
        sheet.current?.requestSubmit()
      })()
    },
    { atDesk: isLate },
  )

  /** Typing an address or a password cancels the card look-up. */
  function typed(name: Name) {
    return {
      name,
      label: t(`account.signIn.${name}`),
      required: true,
      withAsterisk: false,
      'data-path': name,
      error: errors[name],
      value: values[name],
      onChange: ({ currentTarget: { value } }: ChangeEvent<HTMLInputElement>) => {
        card.cancel()
        fill({ [name]: value })
      },
    }
  }

  function showScanner(shown: boolean) {
    setScanning(shown)
    setFound('')
    setOtherFailure(null)
    signIn.reset()
    card.forget()
  }

  if (asked)
    return (
      <AccountPage>
        <Chunk part={SecondStep} failed={(retry) => <NotLoaded message={t('common.failed')} onRetry={retry} />}>
          <SecondStep onEnter={enter} onAgain={signIn.reset} />
        </Chunk>
      </AccountPage>
    )

  if (session?.setup) return <Navigate to={paths.setup()} replace />

  return (
    <AccountPage>
      <Title order={1} tabIndex={-1}>
        {t('account.signIn.title')}
      </Title>
      <Continue onContinue={enter} />
      {(sessionEnded ?? registered) && signIn.error === null && (
        <Alert color="teal" mt="lg" role="status">
          {t(sessionEnded ? 'account.signIn.sessionEnded' : 'account.signIn.created')}
        </Alert>
      )}
      <Failure of={signIn.error ?? otherFailure} />
      <form noValidate ref={sheet} onSubmit={(event) => void submit(event)}>
        <Stack mt="lg">
          <TextInput type="email" autoComplete="username" ref={email} {...typed('email')} />
          <PasswordInput ref={password} autoComplete="current-password" {...typed('password')} />
          <Checkbox
            label={t('account.signIn.remember')}
            checked={values.remember}
            onChange={({ currentTarget: { checked } }) => fill({ remember: checked })}
          />
          <Button type="submit" size="md" loading={signIn.pending}>
            {t('account.signIn.submit')}
          </Button>
          {offersCard && (
            <Button
              ref={toggle}
              variant={scanning ? 'light' : 'default'}
              leftSection={<Barcode />}
              aria-expanded={scanning}
              aria-controls="scanner"
              onClick={() => showScanner(!scanning)}
            >
              {t('account.card.scan')}
            </Button>
          )}
          {card.refusal !== null && (
            <Text size="sm" c="var(--mantine-color-error)" role="alert">
              {card.refusal}
            </Text>
          )}
          <div id="scanner" hidden={!scanning}>
            {scanning && (
              <Chunk
                part={ScannerPanel}
                waiting={
                  <Text ref={scrollHere} c="dimmed">
                    {t('account.card.preparing')}
                  </Text>
                }
                failed={(retry) => <NotLoaded message={t('account.card.notLoaded')} onRetry={retry} />}
              >
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
              </Chunk>
            )}
          </div>
          <Text size="sm" role="status" className={classes.found}>
            {card.looking && !scanning ? t('account.card.looking') : found || deskWaits}
          </Text>
        </Stack>
      </form>
      <Text mt="lg" c="dimmed">
        {rich('account.signIn.newHere', {
          link: (words) => (
            <Anchor component={Link} to={paths.register()}>
              {words}
            </Anchor>
          ),
        })}
      </Text>
      <Text mt="xs" c="dimmed">
        {rich('account.signIn.haveCode', {
          link: (words) => (
            <Anchor component={Link} to={paths.redeem()}>
              {words}
            </Anchor>
          ),
        })}
      </Text>
      {/* Last, because they appear later than the rest and would move it. */}
      {(session?.passkeys ?? session?.provider ?? session?.mail) !== undefined && (
        <Chunk part={OtherWays}>
          <OtherWays
            end={end}
            next={next}
            email={values.email}
            remember={values.remember}
            onFailure={setOtherFailure}
            onEnter={enter}
          />
        </Chunk>
      )}
    </AccountPage>
  )
}

/** Returns the text that names the waiting scans, right after the session has ended. */
const waitingWords = (): string => (lateCodes() === '' ? '' : t('account.signIn.waits', { list: lateCodes() }))

/** Returns the text that says that tasks of the desk wait, without their names: another person may read it. */
const deskWaitsWords = (): string => (storage.read(DESK_WAITS) === null ? '' : t('account.signIn.deskWaits'))

/** True while scans still go to the desk whose session has just ended. */
function useLate(): boolean {
  const [isLate, setLate] = useState(() => lateScanMsLeft() > 0)
  useEffect(() => {
    if (!isLate) return undefined
    const timer = setTimeout(() => setLate(false), lateScanMsLeft())
    return () => clearTimeout(timer)
  }, [isLate])
  return isLate
}

/** Shown instead of the form to a user who is already signed in: one press continues. */
function Continue({ onContinue }: { onContinue: (user: User) => void }) {
  const user = useQuery(sessionQuery).data?.user
  if (!user) return null
  return (
    <Group mt="lg" justify="space-between">
      <Text size="sm" c="dimmed" flex="8rem">
        {t('account.signIn.signedInAs', { name: user.name })}
      </Text>
      <Button variant="default" size="sm" flex="none" onClick={() => onContinue(user)}>
        {t('account.signIn.continue')}
      </Button>
    </Group>
  )
}
