import { Anchor, Button, Group, Stack, Text, TextInput, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Fingerprint } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { useNavigate } from 'react-router'
import { giveCode } from '../../api/account'
import { useAction } from '../../api/action'
import { useContractForm } from '../../api/form'
import { secondStepQuery, signInWithPasskey } from '../../api/passkeys'
import type { Entered, User } from '../../api/types'
import { t } from '../../lib/messages'
import { hasPasskeys } from '../../lib/passkey'
import { ProblemError } from '../../lib/problem'
import { storedRole } from '../../lib/storage'
import { homeOf } from '../../screens'
import { Failure } from './AccountPage'

/** Returns the function that completes a sign-in: it stores the role and opens the person's home. */
export function useEnter(): (user: User) => void {
  const navigate = useNavigate()
  return ({ role }) => {
    storedRole.set(role)
    void navigate(homeOf(role), { replace: true })
  }
}

type SecondStepProps = {
  onEnter: (user: Entered) => void
  /** Called to go back to the password. */
  onAgain: () => void
}

/** Second step after the password: a passkey, a code of the authenticator app, or a recovery code. */
export function SecondStep(props: SecondStepProps) {
  const query = useQuery(secondStepQuery)
  if (query.isPending) return <Heading />
  // If the factors cannot be read, ask for a code: recovery codes always work.
  const { app, passkey } = query.data ?? { app: true, passkey: false }
  return <Step app={app} passkey={passkey && hasPasskeys()} {...props} />
}

function Heading() {
  return (
    <Title order={1} tabIndex={-1}>
      {t('secondStep.title')}
    </Title>
  )
}

type StepProps = SecondStepProps & { app: boolean; passkey: boolean }

function Step({ app, passkey, onEnter, onAgain }: StepProps) {
  const [recovery, setRecovery] = useState(!app && !passkey)
  const input = useRef<HTMLInputElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const { form, field, onSubmit, pending, failure } = useContractForm('SecondFactorCode', {
    action: giveCode,
    initial: { code: '' },
    onDone: onEnter,
  })
  const byPasskey = useAction(signInWithPasskey)
  const trouble = byPasskey.error ?? failure
  const expired = trouble instanceof ProblemError && trouble.code === 'sign-in-expired'
  const typing = app || recovery

  // Focuses the factor shown first, or the chosen one.
  useEffect(() => (recovery || app ? input : button).current?.focus(), [recovery, app])
  // A wrong code is selected for retyping.
  useEffect(() => {
    if (failure !== null) input.current?.select()
  }, [failure])

  async function givePasskey() {
    const outcome = await byPasskey.run({ secondStep: true, remember: false })
    if (outcome.ok) onEnter(outcome.output)
  }

  return (
    <>
      <Heading />
      <Text mt="xs" c="dimmed">
        {t(recovery ? 'secondStep.whatRecovery' : app ? 'secondStep.what' : 'secondStep.whatPasskey')}
      </Text>
      <Failure of={trouble} />
      <form
        noValidate
        onSubmit={(event) => {
          byPasskey.reset()
          onSubmit(event)
        }}
      >
        <Stack mt="lg">
          {!expired && typing && (
            <>
              <TextInput
                {...field('code')}
                ref={input}
                label={t(recovery ? 'secondStep.recoveryCode' : 'secondStep.code')}
                inputMode={recovery ? 'text' : 'numeric'}
                autoComplete={recovery ? 'off' : 'one-time-code'}
                autoCapitalize={recovery ? 'characters' : 'none'}
                spellCheck={false}
              />
              <Button type="submit" size="md" loading={pending}>
                {t('secondStep.submit')}
              </Button>
            </>
          )}
          {!expired && passkey && (
            <Button
              ref={button}
              size="md"
              variant={typing ? 'default' : 'filled'}
              leftSection={<Fingerprint />}
              loading={byPasskey.pending}
              onClick={() => void givePasskey()}
            >
              {t('secondStep.usePasskey')}
            </Button>
          )}
          <Group justify="space-between">
            {!expired && (app || passkey) && (
              <Anchor
                component="button"
                type="button"
                onClick={() => {
                  form.reset()
                  byPasskey.reset()
                  setRecovery(!recovery)
                }}
              >
                {t(!recovery ? 'secondStep.useRecovery' : app ? 'secondStep.useApp' : 'secondStep.noRecovery')}
              </Anchor>
            )}
            <Anchor component="button" type="button" onClick={onAgain}>
              {t('secondStep.again')}
            </Anchor>
          </Group>
        </Stack>
      </form>
    </>
  )
}
