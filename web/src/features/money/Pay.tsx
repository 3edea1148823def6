import { Button, Stack, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { configQuery } from '../../api/config'
import { personQuery } from '../../api/people'
import type { Method } from '../../api/types'
import { useKeptTask } from '../../counter/useKeptTask'
import { useTaskForm } from '../../counter/useTaskForm'
import { amountOf, typedAmount } from '../../lib/amount'
import { focusHere } from '../../lib/focus'
import { lazyChunk, Chunk } from '../../lib/lazyChunk'
import { t } from '../../lib/messages'
import { AmountInput, amountProblem } from '../../ui/AmountInput'
import { Dialog } from '../../ui/Dialog'
import { DialogEnd } from '../../ui/DialogEnd'
import { KeptForm } from './KeptForm'
import { MethodSelect } from './MethodSelect'
import { PrintReceipt } from './PrintReceipt'

const UpiCode = lazyChunk('upi', () => import('./UpiCode'))

export type PayProps = {
  uid: number
  /** Name of the reader. */
  name: string
  owed: number
  /** Charges to settle; by default all, the oldest first. */
  charges?: readonly number[]
  onClose: () => void
}

/** `given`: cash that the payer hands over. */
type Paying = { amount: string; given: string; method: Method; reference: string }

/** Takes a payment, and calculates the change if more cash is given. The payment is a task of the desk's queue. */
export default function Pay({ uid, name, owed, charges, onClose }: PayProps) {
  const config = useQuery(configQuery).data
  const initial: Paying = { amount: typedAmount(owed), given: '', method: 'cash', reference: '' }
  const kept = useKeptTask((task) => task.kind === 'pay' && task.fines.uid === uid)
  const { form, failure, onSubmit } = useTaskForm(kept, {
    initial,
    validate: {
      amount: (typed) => amountProblem(t('money.account.amount'), typed),
      given: (_typed, values) => (isShort(values) ? t('money.pay.short', { short: -changeOf(values) }) : null),
    },
    taskOf: ({ amount: typed, method, reference }) => {
      const paid = amountOf(typed) ?? 0
      const fines = { uid, name, charges: (charges ?? []).map((id) => ({ id, open: 0 })) }
      return {
        label: t('money.pay.label', { amount: paid, name }),
        task: { kind: 'pay', fines, amount: paid, method, reference },
      }
    },
  })
  const receipt = kept.done?.receipt
  const amount = amountOf(form.values.amount) ?? 0
  const byUpi = form.values.method === 'upi' && config !== undefined && config.upiAddress !== ''
  const payer = useQuery({ ...personQuery(uid), enabled: byUpi }).data
  const change = form.values.method === 'cash' && amount > 0 ? changeOf(form.values) : 0

  if (receipt) {
    return (
      <Dialog onClose={onClose} title={t('money.receipt.title', { number: receipt.number })}>
        <Stack>
          <Text>{t('desk.screen.taken', receipt)}</Text>
          {change > 0 && <Text>{t('money.pay.change', { change })}</Text>}
          <PrintReceipt number={receipt.number} focused={focusHere} />
          <Button variant="default" onClick={onClose}>
            {t('money.pay.close')}
          </Button>
        </Stack>
      </Dialog>
    )
  }
  return (
    <Dialog onClose={onClose} title={t('money.pay.title', { owed })}>
      <KeptForm kept={kept} onClose={onClose}>
        <form noValidate onSubmit={onSubmit}>
          <Stack>
            <AmountInput label={t('money.account.amount')} data-autofocus {...form.getInputProps('amount')} />
            <MethodSelect {...form.getInputProps('method')} />
            {form.values.method === 'cash' ? (
              <>
                <AmountInput label={t('money.pay.given')} {...form.getInputProps('given')} />
                {change > 0 && <Text role="status">{t('money.pay.change', { change })}</Text>}
              </>
            ) : (
              <>
                {byUpi && payer && amount > 0 && (
                  <Chunk part={UpiCode} failed={<Text c="dimmed">{t('common.failed')}</Text>}>
                    <UpiCode
                      address={config.upiAddress}
                      library={config.name}
                      amount={amount}
                      note={t('money.upi.note', { payer: payer.rollNumber ?? payer.name })}
                    />
                  </Chunk>
                )}
                <TextInput label={t('money.pay.reference')} autoComplete="off" {...form.getInputProps('reference')} />
              </>
            )}
            <DialogEnd
              failure={failure}
              submit={amount > 0 ? t('money.pay.take', { amount }) : t('money.pay.open')}
              pending={kept.pending}
              onCancel={onClose}
            />
          </Stack>
        </form>
      </KeptForm>
    </Dialog>
  )
}

/** Returns the change of a payment in cash; negative if too little cash was given. */
const changeOf = ({ amount, given }: Paying): number =>
  Math.round(((amountOf(given) ?? 0) - (amountOf(amount) ?? 0)) * 100) / 100

const isShort = (values: Paying): boolean =>
  values.method === 'cash' && values.given.trim() !== '' && changeOf(values) < 0
