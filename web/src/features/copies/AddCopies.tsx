import { NumberInput, Stack } from '@mantine/core'
import type { SubmitEvent } from 'react'
import { addCopies } from '../../api/copies'
import { useActionForm } from '../../api/form'
import { t } from '../../lib/messages'
import { messageOf } from '../../lib/problem'
import { Dialog } from '../../ui/Dialog'
import { BarcodeList } from './BarcodeList'
import { withScanned } from './barcodes'
import { DialogEnd } from '../../ui/DialogEnd'

/** `scanned`: text in the box, not yet in the list. `count`: number of copies without a barcode. */
type Values = { barcodes: string[]; scanned: string; count: number | '' }

const EMPTY: Values = { barcodes: [], scanned: '', count: '' }

const totalOf = ({ barcodes, count }: Values): number => barcodes.length + Number(count)

/** Form that adds copies to a title: with their existing barcodes, or with the next accession numbers (R-COPY-3). */
export function AddCopies({ bookId, onClose }: { bookId: number; onClose: () => void }) {
  const { form, onSubmit, pending, failure } = useActionForm({
    action: addCopies(bookId),
    initial: EMPTY,
    inputOf: (values) => ({ barcodes: values.barcodes, count: totalOf(values) }),
    validate: { count: (_count, values) => (totalOf(values) === 0 ? t('copies.add.nothing') : null) },
    done: (_added, { count }) => t('copies.add.done', { count: count ?? 0 }),
    onDone: onClose,
  })
  const { barcodes, scanned } = form.values

  function save(event: SubmitEvent<HTMLFormElement>) {
    // A barcode left in the box counts, even without the scanner's Enter.
    form.setValues({ barcodes: withScanned(barcodes, scanned).list, scanned: '' })
    onSubmit(event)
  }

  return (
    <Dialog onClose={onClose} title={t('copies.add.title')} size="lg">
      <form noValidate onSubmit={save}>
        <Stack>
          <BarcodeList
            label={t('copies.add.barcodes')}
            description={t('copies.add.barcodesHint')}
            value={barcodes}
            // setValues also clears the errors, which refer to positions in the old list.
            onChange={(list) => form.setValues({ barcodes: list })}
            errors={form.errors as Record<string, string>}
            text={scanned}
            onText={(text) => form.setFieldValue('scanned', text)}
          />
          <NumberInput
            label={t('copies.add.more')}
            description={t('copies.add.moreHint')}
            min={0}
            clampBehavior="none"
            maw="14rem"
            {...form.getInputProps('count')}
          />
          <DialogEnd
            failure={failure === null ? null : t('copies.add.failed', { reason: messageOf(failure) })}
            submit={t('copies.add.submit')}
            pending={pending}
            onCancel={onClose}
          />
        </Stack>
      </form>
    </Dialog>
  )
}
