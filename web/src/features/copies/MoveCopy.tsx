import { Alert, Button, Group, Radio, Stack, TextInput } from '@mantine/core'
import { moveCopy } from '../../api/copies'
import { useActionForm } from '../../api/form'
import type { Condition, Copy } from '../../api/types'
import { t } from '../../lib/messages'
import { messageOf } from '../../lib/problem'
import { Dialog } from '../../ui/Dialog'
import { movedWords, refusedWords, stateText } from './stateText'

/** Where a copy goes: only where the server lets it (R-COPY-2), with a word about why. */
export function MoveCopy({ copy, onClose }: { copy: Copy; onClose: () => void }) {
  const { form, onSubmit, pending, failure } = useActionForm({
    action: moveCopy,
    // Only a copy that may go somewhere has the button that leads here.
    initial: { state: copy.moves[0] as Condition, note: '' },
    inputOf: ({ state, note }) => ({ id: copy.id, state, ...(note.trim() !== '' && { note: note.trim() }) }),
    done: movedWords,
    onDone: onClose,
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
          {failure !== null && (
            <Alert color="red" role="alert">
              {refusedWords(messageOf(failure), failure)}
            </Alert>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('common.cancel')}
            </Button>
            <Button type="submit" loading={pending}>
              {t('copies.move.submit')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
