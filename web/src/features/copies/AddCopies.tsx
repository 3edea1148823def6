import { Alert, Button, Group, Modal, NumberInput, Stack } from '@mantine/core'
import { useState } from 'react'
import { useAction } from '../../api/action'
import { addCopies } from '../../api/copies'
import { focusFirstError } from '../../lib/forms'
import { t } from '../../lib/messages'
import { messageOf, ProblemError } from '../../lib/problem'
import { BarcodeList } from './BarcodeList'
import { withScanned } from './barcodes'

/** Copies that come into the library: with the barcodes on them, or with the next accession numbers (R-COPY-3). */
export function AddCopies({ bookId, onClose }: { bookId: number; onClose: () => void }) {
  const [barcodes, setBarcodes] = useState<string[]>([])
  const [typing, setTyping] = useState('')
  const [more, setMore] = useState<number | ''>('')
  const [nothing, setNothing] = useState(false)
  const add = useAction(addCopies(bookId), {
    done: (_added, input) => t('copies.add.done', { count: input.count ?? 0 }),
  })
  const problem = add.error
  const fields = problem instanceof ProblemError ? problem.fields : {}

  async function save() {
    // What stands in the box counts, also without the Enter of a scanner.
    const all = withScanned(barcodes, typing).list
    setBarcodes(all)
    setTyping('')
    const count = all.length + Number(more)
    setNothing(count === 0)
    if (count === 0) return
    const outcome = await add.run({ barcodes: all, count })
    if (outcome.ok) onClose()
    else if (outcome.error instanceof ProblemError) focusFirstError({ barcodes: '', ...outcome.error.fields })
  }

  return (
    <Modal opened onClose={onClose} title={t('copies.add.title')} size="lg">
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          if (!add.pending) void save()
        }}
      >
        <Stack>
          <BarcodeList
            label={t('copies.add.barcodes')}
            description={t('copies.add.barcodesHint')}
            value={barcodes}
            onChange={setBarcodes}
            errors={fields}
            text={typing}
            onText={setTyping}
          />
          <NumberInput
            label={t('copies.add.more')}
            description={t('copies.add.moreHint')}
            value={more}
            allowDecimal={false}
            allowNegative={false}
            min={0}
            clampBehavior="none"
            maw="14rem"
            error={fields['count'] ?? (nothing ? t('copies.add.nothing') : null)}
            data-field="count"
            onChange={(value) => setMore(value === '' ? '' : Number(value))}
          />
          {problem !== null && Object.keys(fields).length === 0 && (
            <Alert color="red" role="alert">
              {t('copies.add.failed', { reason: messageOf(problem) })}
            </Alert>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('common.cancel')}
            </Button>
            <Button type="submit" loading={add.pending}>
              {t('copies.add.submit')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
