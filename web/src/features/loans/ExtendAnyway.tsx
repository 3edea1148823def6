import { Alert, Button, Group, Modal, Stack, TextInput } from '@mantine/core'
import { useActionForm } from '../../api/form'
import { extendLoan } from '../../api/loans'
import { t } from '../../lib/messages'
import { messageOf } from '../../lib/problem'
import type { Refused } from './useLoanActions'

/** The rules that stand against an extension, and a reason to grant it all the same, which is kept (Law 6). */
export function ExtendAnyway({ refused, onClose }: { refused: Refused; onClose: () => void }) {
  const { form, onSubmit, pending, failure } = useActionForm({
    action: extendLoan,
    initial: { override: { blocks: [...refused.blocks], reason: '' } },
    inputOf: ({ override }) => ({ id: refused.id, override }),
    done: () => t('loans.extended'),
    onDone: onClose,
  })

  return (
    <Modal opened onClose={onClose} title={t('loans.anyway.title')}>
      <form noValidate onSubmit={onSubmit}>
        <Stack>
          <p role="alert">{refused.reason}</p>
          <TextInput
            label={t('loans.anyway.reason')}
            description={t('loans.anyway.kept')}
            data-autofocus
            {...form.getInputProps('override.reason')}
          />
          {failure !== null && (
            <Alert color="red" role="alert">
              {t('loans.extendFailed', { reason: messageOf(failure) })}
            </Alert>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('common.cancel')}
            </Button>
            <Button type="submit" loading={pending}>
              {t('loans.anyway.action')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
