import { Button, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useActionForm } from '../../api/form'
import { takeMoney } from '../../api/money'
import type { Method } from '../../api/types'
import { amountOf, typedAmount } from '../../lib/amount'
import { focusHere } from '../../lib/focus'
import { t } from '../../lib/messages'
import { messageOf } from '../../lib/problem'
import { AmountInput, amountProblem } from '../../ui/AmountInput'
import { Dialog } from '../../ui/Dialog'
import { DialogEnd } from '../../ui/DialogEnd'
import { MethodSelect } from './MethodSelect'
import { PrintReceipt } from './PrintReceipt'

export type PayProps = {
  uid: number
  owed: number
  /** Charges to settle; by default all, the oldest first. */
  charges?: readonly number[]
  onClose: () => void
}

type Paying = { amount: string; method: Method; reference: string }

/** Takes a payment; cash beyond the debt is given back. */
export default function Pay({ uid, owed, charges, onClose }: PayProps) {
  const [given, setGiven] = useState('')
  const [receipt, setReceipt] = useState<{ number: string; amount: number } | null>(null)
  const initial: Paying = { amount: typedAmount(owed), method: 'cash', reference: '' }
  const { form, onSubmit, pending, failure } = useActionForm({
    action: takeMoney,
    initial,
    inputOf: ({ amount, method, reference }) => ({
      uid,
      form: { amount: amountOf(amount) ?? 0, method, reference, ...(charges && { charges: [...charges] }) },
    }),
    validate: { amount: (typed: string) => amountProblem(t('money.account.amount'), typed) },
    done: ({ receipt: { amount, number } }) => t('desk.screen.taken', { amount, number }),
    onDone: ({ receipt: { number, amount } }) => setReceipt({ number, amount }),
  })
  const amount = amountOf(form.values.amount) ?? 0
  const change = Math.round(((amountOf(given) ?? 0) - amount) * 100) / 100

  if (receipt !== null) {
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
      <form noValidate onSubmit={onSubmit}>
        <Stack>
          <AmountInput label={t('money.account.amount')} data-autofocus {...form.getInputProps('amount')} />
          <MethodSelect {...form.getInputProps('method')} />
          {form.values.method === 'cash' ? (
            <>
              <AmountInput
                label={t('money.pay.given')}
                value={given}
                onChange={(event) => setGiven(event.currentTarget.value)}
              />
              {change > 0 && <Text role="status">{t('money.pay.change', { change })}</Text>}
            </>
          ) : (
            <TextInput label={t('money.pay.reference')} autoComplete="off" {...form.getInputProps('reference')} />
          )}
          <DialogEnd
            failure={failure === null ? null : messageOf(failure)}
            submit={amount > 0 ? t('money.pay.take', { amount }) : t('money.pay.open')}
            pending={pending}
            onCancel={onClose}
          />
        </Stack>
      </form>
    </Dialog>
  )
}
