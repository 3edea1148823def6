import { ActionIcon, Stack, Text, TextInput } from '@mantine/core'
import { CalendarClock } from 'lucide-react'
import { useActionForm } from '../../api/form'
import { setDueDate } from '../../api/loans'
import type { Loan } from '../../api/types'
import { t } from '../../lib/messages'
import { messageOf } from '../../lib/problem'
import { Dialog } from '../../ui/Dialog'
import { DialogEnd } from '../../ui/DialogEnd'

type DueDateButtonProps = {
  title: string
  /** Borrower, for screen readers. */
  of: string
  onPress: () => void
}

/** Button that opens the dialog for a due date set by hand. */
export function DueDateButton({ title, of, onPress }: DueDateButtonProps) {
  return (
    <ActionIcon
      size={28}
      variant="subtle"
      color="gray"
      aria-label={t('loans.due.named', { title, name: of })}
      title={t('loans.due.set')}
      onClick={onPress}
    >
      <CalendarClock data-size="18" aria-hidden />
    </ActionIcon>
  )
}

/** Sets the due date of one loan by hand, with a reason that is recorded. */
export function DueDateDialog({ loan, onClose }: { loan: Loan; onClose: () => void }) {
  const { form, onSubmit, pending, failure } = useActionForm({
    action: setDueDate,
    initial: { returnDate: loan.returnDate, reason: '' },
    inputOf: (values) => ({ id: loan.id, ...values }),
    validate: {
      returnDate: (day) => (day === '' ? t('field.required', { label: t('loans.due.day') }) : null),
      reason: (typed) => (typed.trim() === '' ? t('field.required', { label: t('loans.anyway.reason') }) : null),
    },
    done: ({ title, returnDate }) => t('loans.due.done', { title, day: returnDate }),
    onDone: onClose,
  })
  return (
    <Dialog onClose={onClose} title={t('loans.due.question', { title: loan.title })}>
      <form noValidate onSubmit={onSubmit}>
        <Stack>
          <TextInput
            type="date"
            label={t('loans.due.day')}
            description={t('loans.due.hint')}
            data-autofocus
            {...form.getInputProps('returnDate')}
          />
          <TextInput
            label={t('loans.anyway.reason')}
            description={t('loans.anyway.kept')}
            {...form.getInputProps('reason')}
          />
          {loan.fine > 0 && <Text size="sm">{t('loans.due.fine', { fine: loan.fine })}</Text>}
          <DialogEnd
            failure={failure === null ? null : t('loans.due.failed', { reason: messageOf(failure) })}
            submit={t('loans.due.submit')}
            pending={pending}
            onCancel={onClose}
          />
        </Stack>
      </form>
    </Dialog>
  )
}
