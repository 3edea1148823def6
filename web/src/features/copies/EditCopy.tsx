import { Group, Stack, Textarea, TextInput } from '@mantine/core'
import type { SubmitEvent } from 'react'
import { updateCopy } from '../../api/copies'
import { useActionForm } from '../../api/form'
import type { Copy, CopyEdit } from '../../api/types'
import { amountOf, typedAmount } from '../../lib/amount'
import { t } from '../../lib/messages'
import { messageOf } from '../../lib/problem'
import { AmountInput, amountProblem } from '../../ui/AmountInput'
import { Dialog } from '../../ui/Dialog'
import { DialogEnd } from '../../ui/DialogEnd'

type Values = { barcode: string; location: string; note: string; price: string; acquiredOn: string }

const valuesOf = ({ barcode, location, ownLocation, note, price, ownPrice, acquiredOn }: Copy): Values => ({
  barcode,
  location: ownLocation ? location : '',
  note,
  price: price === null || !ownPrice ? '' : typedAmount(price),
  acquiredOn: acquiredOn ?? '',
})

/** Returns only the changed fields, so that another librarian's changes to the others stay. */
const editOf = (before: Values, { barcode, location, note, price, acquiredOn }: Values): CopyEdit => ({
  ...(barcode !== before.barcode && { barcode }),
  ...(location !== before.location && { location: location === '' ? null : location }),
  ...(note !== before.note && { note }),
  ...(price !== before.price && { price: price.trim() === '' ? null : (amountOf(price) ?? 0) }),
  ...(acquiredOn !== before.acquiredOn && { acquiredOn: acquiredOn === '' ? null : acquiredOn }),
})

/** Form for the record of a copy: barcode, location, note and price (R-COPY-1). */
export function EditCopy({ copy, titleLocation, onClose }: { copy: Copy; titleLocation: string; onClose: () => void }) {
  const before = valuesOf(copy)
  const { form, onSubmit, pending, failure } = useActionForm({
    action: updateCopy,
    initial: before,
    inputOf: (values) => ({ id: copy.id, edit: editOf(before, values) }),
    validate: { price: (typed) => (typed.trim() === '' ? null : amountProblem(t('copies.edit.price'), typed)) },
    done: ({ barcode }) => t('copies.edit.done', { barcode }),
    onDone: onClose,
  })

  function save(event: SubmitEvent<HTMLFormElement>) {
    if (form.isDirty()) return onSubmit(event)
    event.preventDefault()
    onClose()
  }

  return (
    <Dialog onClose={onClose} title={t('copies.edit.title', { barcode: copy.barcode })}>
      <form noValidate onSubmit={save}>
        <Stack>
          <TextInput
            label={t('copies.column.barcode')}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            data-autofocus
            {...form.getInputProps('barcode')}
            onKeyDown={(event) => {
              // A scanner ends with Enter, which must not submit the form.
              if (event.key === 'Enter' && !event.ctrlKey && !event.metaKey) event.preventDefault()
            }}
          />
          <TextInput
            label={t('copies.column.location')}
            description={t('copies.edit.locationHint', { location: titleLocation })}
            autoComplete="off"
            {...form.getInputProps('location')}
          />
          <Textarea
            label={t('copies.column.note')}
            description={t('copies.edit.noteHint')}
            autosize
            minRows={2}
            {...form.getInputProps('note')}
          />
          <Group grow align="flex-end">
            <AmountInput
              label={t('copies.edit.price')}
              description={
                copy.price === null || copy.ownPrice ? undefined : t('copies.edit.priceHint', { price: copy.price })
              }
              {...form.getInputProps('price')}
            />
            <TextInput type="date" label={t('copies.edit.acquiredOn')} {...form.getInputProps('acquiredOn')} />
          </Group>
          <DialogEnd
            failure={failure === null ? null : t('copies.edit.failed', { reason: messageOf(failure) })}
            submit={t('copies.edit.submit')}
            pending={pending}
            onCancel={onClose}
          />
        </Stack>
      </form>
    </Dialog>
  )
}
