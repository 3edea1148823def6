import { Alert, Button, Group, Modal, NumberInput, Stack, Textarea, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useAction } from '../../api/action'
import { updateCopy } from '../../api/copies'
import type { Copy } from '../../api/types'
import { focusFirstError } from '../../lib/forms'
import { t } from '../../lib/messages'
import { messageOf, ProblemError } from '../../lib/problem'

type Values = { barcode: string; location: string; note: string; price: number | string; acquiredOn: string }

const valuesOf = ({ barcode, location, ownLocation, note, price, acquiredOn }: Copy): Values => ({
  barcode,
  location: ownLocation ? location : '',
  note,
  price: price ?? '',
  acquiredOn: acquiredOn ?? '',
})

/** What is recorded of a copy: its barcode, where it stands, a note, its price (R-COPY-1). */
export function EditCopy({ copy, titleLocation, onClose }: { copy: Copy; titleLocation: string; onClose: () => void }) {
  const update = useAction(updateCopy, { done: ({ barcode }) => t('copies.edit.done', { barcode }) })
  const before = valuesOf(copy)
  const form = useForm<Values>({ mode: 'controlled', initialValues: before })
  const inFields = update.error instanceof ProblemError && Object.keys(update.error.fields).length > 0

  async function save({ barcode, location, note, price, acquiredOn }: Values) {
    // Only what was changed is named: what somebody else changed meanwhile stays.
    const edit = {
      ...(barcode !== before.barcode && { barcode }),
      ...(location !== before.location && { location: location === '' ? null : location }),
      ...(note !== before.note && { note }),
      ...(price !== before.price && { price: price === '' ? null : Number(price) }),
      ...(acquiredOn !== before.acquiredOn && { acquiredOn: acquiredOn === '' ? null : acquiredOn }),
    }
    if (Object.keys(edit).length === 0) return onClose()
    const outcome = await update.run({ id: copy.id, edit })
    if (outcome.ok) onClose()
    else if (outcome.error instanceof ProblemError) {
      form.setErrors(outcome.error.fields)
      focusFirstError(outcome.error.fields)
    }
  }

  return (
    <Modal opened onClose={onClose} title={t('copies.edit.title', { barcode: copy.barcode })}>
      <form noValidate onSubmit={form.onSubmit((values) => void save(values))}>
        <Stack>
          <TextInput
            label={t('copies.column.barcode')}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            data-autofocus
            {...form.getInputProps('barcode')}
            data-field="barcode"
            onKeyDown={(event) => {
              // A scanner ends with Enter: the form is not sent by it.
              if (event.key === 'Enter' && !event.ctrlKey && !event.metaKey) event.preventDefault()
            }}
          />
          <TextInput
            label={t('copies.column.location')}
            description={t('copies.edit.locationHint', { location: titleLocation })}
            autoComplete="off"
            {...form.getInputProps('location')}
            data-field="location"
          />
          <Textarea
            label={t('copies.column.note')}
            description={t('copies.edit.noteHint')}
            autosize
            minRows={2}
            {...form.getInputProps('note')}
            data-field="note"
          />
          <Group grow align="flex-end">
            <NumberInput
              label={t('copies.edit.price')}
              decimalScale={2}
              allowNegative={false}
              min={0}
              clampBehavior="none"
              {...form.getInputProps('price')}
              data-field="price"
            />
            <TextInput
              type="date"
              label={t('copies.edit.acquiredOn')}
              {...form.getInputProps('acquiredOn')}
              data-field="acquiredOn"
            />
          </Group>
          {update.error !== null && !inFields && (
            <Alert color="red" role="alert">
              {t('copies.edit.failed', { reason: messageOf(update.error) })}
            </Alert>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('common.cancel')}
            </Button>
            <Button type="submit" loading={update.pending}>
              {t('copies.edit.submit')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
