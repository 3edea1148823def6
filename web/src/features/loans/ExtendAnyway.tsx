import { Stack, TextInput } from '@mantine/core'
import { useActionForm } from '../../api/form'
import { extendLoan } from '../../api/loans'
import { t } from '../../lib/messages'
import { messageOf } from '../../lib/problem'
import { extendedText, type Refused } from './useLoanActions'
import { Dialog } from '../../ui/Dialog'
import { DialogEnd } from '../../ui/DialogEnd'

/** Form to override the rules that refuse an extension, with a recorded reason (Law 6). */
export function ExtendAnyway({ refused, onClose }: { refused: Refused; onClose: () => void }) {
  const { form, onSubmit, pending, failure } = useActionForm({
    action: extendLoan,
    initial: { override: { blocks: [...refused.blocks], reason: '' } },
    inputOf: ({ override }) => ({ id: refused.id, override }),
    done: extendedText,
    onDone: onClose,
  })

  return (
    <Dialog onClose={onClose} title={t('loans.anyway.title')}>
      <form noValidate onSubmit={onSubmit}>
        <Stack>
          <p role="alert">{refused.reason}</p>
          <TextInput
            label={t('loans.anyway.reason')}
            description={t('loans.anyway.kept')}
            data-autofocus
            {...form.getInputProps('override.reason')}
          />
          <DialogEnd
            failure={failure === null ? null : t('loans.extendFailed', { reason: messageOf(failure) })}
            submit={t('loans.anyway.action')}
            pending={pending}
            onCancel={onClose}
          />
        </Stack>
      </form>
    </Dialog>
  )
}
