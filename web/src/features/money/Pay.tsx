import { Button, Stack, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { configQuery } from '../../api/config'
import { useActionForm } from '../../api/form'
import { takeMoney } from '../../api/money'
import { personQuery } from '../../api/people'
import type { Method } from '../../api/types'
import { amountOf, typedAmount } from '../../lib/amount'
import { focusHere } from '../../lib/focus'
import { lazyChunk, Chunk } from '../../lib/lazyChunk'
import { t } from '../../lib/messages'
import { messageOf } from '../../lib/problem'
import { AmountInput, amountProblem } from '../../ui/AmountInput'
import { Dialog } from '../../ui/Dialog'
import { DialogEnd } from '../../ui/DialogEnd'
import { MethodSelect } from './MethodSelect'
import { PrintReceipt } from './PrintReceipt'

const UpiCode = lazyChunk('upi', () => import('./UpiCode'))

export type PayProps = {
  uid: number
  owed: number
  /** Charges to settle; by default all, the oldest first. */
  charges?: readonly number[]
  onClose: () => void
}

type Paying = { amount: string; method: Method; reference: string }

/** Takes a payment, and calculates the change if more cash is given. */
export default function Pay({ uid, owed, charges, onClose }: PayProps) {
  const config = useQuery(configQuery).data
  const [given, setGiven] = useState('')
  const [isToldShort, tellShort] = useState(false)
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
  const byUpi = form.values.method === 'upi' && config !== undefined && config.upiAddress !== ''
  const payer = useQuery({ ...personQuery(uid), enabled: byUpi }).data
  const change = Math.round(((amountOf(given) ?? 0) - amount) * 100) / 100
  const isShort = form.values.method === 'cash' && given.trim() !== '' && change < 0

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
      <form
        noValidate
        onSubmit={(event) => {
          if (!isShort) return onSubmit(event)
          event.preventDefault()
          tellShort(true)
        }}
      >
        <Stack>
          <AmountInput label={t('money.account.amount')} data-autofocus {...form.getInputProps('amount')} />
          <MethodSelect {...form.getInputProps('method')} />
          {form.values.method === 'cash' ? (
            <>
              <AmountInput
                label={t('money.pay.given')}
                value={given}
                error={isToldShort && isShort && t('money.pay.short', { short: -change })}
                onChange={(event) => setGiven(event.currentTarget.value)}
              />
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
