import { Alert, Button, Group, Modal, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useAction } from '../../api/action'
import { extendLoan } from '../../api/loans'
import { t } from '../../lib/messages'
import { messageOf, ProblemError } from '../../lib/problem'
import type { Refused } from './useLoanActions'

const REASON = 'override.reason'

/** The rules that stand against an extension, and a reason to grant it all the same, which is kept (Law 6). */
export function ExtendAnyway({ refused, onClose }: { refused: Refused; onClose: () => void }) {
  const extend = useAction(extendLoan, { done: () => t('loans.extended') })
  const [reason, setReason] = useState('')
  const { error } = extend
  const wrong = error instanceof ProblemError ? error.fields[REASON] : undefined

  async function run() {
    const override = { blocks: [...refused.blocks], reason }
    const { ok } = await extend.run({ id: refused.id, override })
    if (ok) onClose()
  }

  return (
    <Modal opened onClose={onClose} title={t('loans.anyway.title')}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          if (!extend.pending) void run()
        }}
      >
        <Stack>
          <p role="alert">{refused.reason}</p>
          <TextInput
            label={t('loans.anyway.reason')}
            description={t('loans.anyway.kept')}
            value={reason}
            error={wrong}
            data-autofocus
            onChange={(event) => setReason(event.currentTarget.value)}
          />
          {error !== null && wrong === undefined && (
            <Alert color="red" role="alert">
              {t('loans.extendFailed', { reason: messageOf(error) })}
            </Alert>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('common.cancel')}
            </Button>
            <Button type="submit" loading={extend.pending}>
              {t('loans.anyway.action')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
