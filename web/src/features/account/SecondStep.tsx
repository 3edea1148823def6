import { Alert, Anchor, Button, Group, Stack, Text, TextInput, Title } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { giveCode } from '../../api/account'
import { useContractForm } from '../../api/form'
import type { Entered } from '../../api/types'
import { t } from '../../lib/messages'
import { messageOf, ProblemError } from '../../lib/problem'

type SecondStepProps = {
  onEnter: (user: Entered) => void
  /** Back to the password. */
  onAgain: () => void
}

/** The password was right: the code of the authenticator app opens the session, or a recovery code does. */
export default function SecondStep({ onEnter, onAgain }: SecondStepProps) {
  const [recovery, setRecovery] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  const { form, field, onSubmit, pending, failure } = useContractForm('SecondFactorCode', {
    action: giveCode,
    initial: { code: '' },
    onDone: onEnter,
  })
  const expired = failure instanceof ProblemError && failure.code === 'sign-in-expired'

  useEffect(() => input.current?.focus(), [])
  // What was wrong is typed over.
  useEffect(() => {
    if (failure !== null) input.current?.select()
  }, [failure])

  return (
    <>
      <Title order={1} tabIndex={-1}>
        {t('secondStep.title')}
      </Title>
      <Text mt="xs" c="dimmed">
        {t(recovery ? 'secondStep.whatRecovery' : 'secondStep.what')}
      </Text>
      {failure !== null && (
        <Alert color="red" mt="lg" role="alert">
          {messageOf(failure)}
        </Alert>
      )}
      <form noValidate onSubmit={onSubmit}>
        <Stack mt="lg">
          {!expired && (
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
          <Group justify="space-between">
            {!expired && (
              <Anchor
                component="button"
                type="button"
                onClick={() => {
                  form.reset()
                  setRecovery(!recovery)
                  input.current?.focus()
                }}
              >
                {t(recovery ? 'secondStep.useApp' : 'secondStep.useRecovery')}
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
