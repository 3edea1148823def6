import { NumberInput, Stack, TextInput } from '@mantine/core'
import { useActionForm } from '../../api/form'
import { moveHold } from '../../api/holds'
import type { Hold } from '../../api/types'
import { t } from '../../lib/messages'
import { messageOf } from '../../lib/problem'
import { Dialog } from '../../ui/Dialog'
import { DialogEnd } from '../../ui/DialogEnd'

/** Moves a hold to another place in the queue, with a reason (R-HOLD-3). */
export function MoveInLine({ hold, onClose }: { hold: Hold; onClose: () => void }) {
  const { form, onSubmit, pending, failure } = useActionForm({
    action: moveHold,
    initial: { place: 1, reason: '' },
    inputOf: ({ place, reason }) => ({ id: hold.id, place, reason }),
    done: ({ place }) => t('holds.move.done', { name: hold.userName, place: place ?? 1 }),
    onDone: onClose,
  })
  return (
    <Dialog onClose={onClose} title={t('holds.move.title', { name: hold.userName })}>
      <form noValidate onSubmit={onSubmit}>
        <Stack>
          <NumberInput
            label={t('holds.move.place')}
            description={t('holds.move.now', { place: hold.place ?? 1, waiting: hold.waiting })}
            min={1}
            max={hold.waiting}
            data-autofocus
            {...form.getInputProps('place')}
          />
          <TextInput
            label={t('loans.anyway.reason')}
            description={t('loans.anyway.kept')}
            autoComplete="off"
            {...form.getInputProps('reason')}
          />
          <DialogEnd
            failure={failure === null ? null : messageOf(failure)}
            submit={t('holds.move')}
            pending={pending}
            onCancel={onClose}
          />
        </Stack>
      </form>
    </Dialog>
  )
}
