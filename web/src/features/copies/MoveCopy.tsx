import { Alert, Button, Group, Modal, Radio, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useAction } from '../../api/action'
import { moveCopy } from '../../api/copies'
import type { Condition, Copy } from '../../api/types'
import { t } from '../../lib/messages'
import { messageOf, ProblemError } from '../../lib/problem'
import { movedWords, refusedWords, stateText } from './stateText'

/** Where a copy goes: only where the server lets it (R-COPY-2), with a word about why. */
export function MoveCopy({ copy, onClose }: { copy: Copy; onClose: () => void }) {
  const move = useAction(moveCopy, { done: movedWords })
  const [state, setState] = useState<Condition | undefined>(copy.moves[0])
  const [note, setNote] = useState('')
  const { error } = move
  const wrong = error instanceof ProblemError ? error.fields['note'] : undefined

  async function save() {
    if (!state) return
    const text = note.trim()
    const outcome = await move.run({ id: copy.id, state, ...(text !== '' && { note: text }) })
    if (outcome.ok) onClose()
  }

  return (
    <Modal opened onClose={onClose} title={t('copies.move.title', { barcode: copy.barcode })}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          void save()
        }}
      >
        <Stack>
          <Radio.Group
            label={t('copies.move.to')}
            description={t('copies.move.from', { state: stateText(copy.state) })}
            value={state ?? ''}
            onChange={(value) => setState(copy.moves.find((to) => to === value))}
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
          <TextInput
            label={t('copies.move.note')}
            autoComplete="off"
            value={note}
            error={wrong}
            onChange={(event) => setNote(event.currentTarget.value)}
          />
          {error !== null && wrong === undefined && (
            <Alert color="red" role="alert">
              {refusedWords(messageOf(error), error)}
            </Alert>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('common.cancel')}
            </Button>
            <Button type="submit" loading={move.pending}>
              {t('copies.move.submit')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
