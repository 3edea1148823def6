import { Radio, Stack, TextInput } from '@mantine/core'
import { moveCopy } from '../../api/copies'
import { useActionForm } from '../../api/form'
import type { Condition, Copy, LostPrice } from '../../api/types'
import { t } from '../../lib/messages'
import { messageOf } from '../../lib/problem'
import { Dialog } from '../../ui/Dialog'
import { movedWords, refusedWords, stateText } from './stateText'
import { DialogEnd } from '../../ui/DialogEnd'

type MoveCopyProps = {
  copy: Copy
  onClose: () => void
  /** Called if the copy was lost and its price is still charged. */
  onFound: (lost: LostPrice) => void
}

/** Form to change a copy's state: explains each state that the server allows (R-COPY-2). */
export function MoveCopy({ copy, onClose, onFound }: MoveCopyProps) {
  const { form, onSubmit, pending, failure } = useActionForm({
    action: moveCopy,
    // The button that opens this form is hidden if no other state is allowed, so there is a first one.
    initial: { state: copy.moves[0] as Condition, note: '' },
    inputOf: ({ state, note }) => ({ id: copy.id, state, ...(note.trim() !== '' && { note: note.trim() }) }),
    done: movedWords,
    onDone: ({ lost }) => {
      onClose()
      if (lost) onFound(lost)
    },
  })

  return (
    <Dialog onClose={onClose} title={t('copies.move.title', { barcode: copy.barcode })}>
      <form noValidate onSubmit={onSubmit}>
        <Stack>
          <Radio.Group
            label={t('copies.move.to')}
            description={t('copies.move.from', { state: stateText(copy.state) })}
            {...form.getInputProps('state')}
          >
            <Stack gap="xs" mt="xs">
              {copy.moves.map((to, index) => (
                <Radio
                  key={to}
                  value={to}
                  label={stateText(to)}
                  description={t(`copies.means.${to}`)}
                  data-autofocus={index === 0 || undefined}
                />
              ))}
            </Stack>
          </Radio.Group>
          <TextInput label={t('copies.move.note')} autoComplete="off" {...form.getInputProps('note')} />
          <DialogEnd
            failure={failure === null ? null : refusedWords(messageOf(failure), failure)}
            submit={t('copies.move.submit')}
            pending={pending}
            onCancel={onClose}
          />
        </Stack>
      </form>
    </Dialog>
  )
}
