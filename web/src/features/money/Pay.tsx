import { Alert, Button, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { configQuery } from '../../api/config'
import { personQuery } from '../../api/people'
import type { Method } from '../../api/types'
import type { Task } from '../../counter/tasks'
import { useKeptTask, useTasksElsewhere } from '../../counter/useKeptTask'
import { amountOf, typedAmount } from '../../lib/amount'
import { focusFirstError, focusHere } from '../../lib/focus'
import { showAtFields } from '../../lib/forms'
import { lazyChunk, Chunk } from '../../lib/lazyChunk'
import { t } from '../../lib/messages'
import { fieldsOf, messageOf } from '../../lib/problem'
import { AmountInput, amountProblem } from '../../ui/AmountInput'
import { Dialog } from '../../ui/Dialog'
import { DialogEnd } from '../../ui/DialogEnd'
import { KeptTask } from '../../ui/KeptTask'
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

type Paying = { amount: string; method: Method; reference: string }

/** Takes a payment, and calculates the change if more cash is given. The payment is a task of the desk's queue. */
export default function Pay({ uid, name, owed, charges, onClose }: PayProps) {
  const config = useQuery(configQuery).data
  const [given, setGiven] = useState('')
  const [isToldShort, tellShort] = useState(false)
  const initial: Paying = { amount: typedAmount(owed), method: 'cash', reference: '' }
  const form = useForm<Paying>({
    mode: 'controlled',
    initialValues: initial,
    validate: { amount: (typed) => amountProblem(t('money.account.amount'), typed) },
  })
  const isMine = (task: Task) => task.kind === 'pay' && task.fines.uid === uid
  const { desk, send, pending, waiting, unknown, done, refused } = useKeptTask(isMine)
  const elsewhere = useTasksElsewhere(desk, isMine)
  const { setErrors } = form
  useEffect(() => {
    if (refused) showAtFields(refused, setErrors)
  }, [refused, setErrors])
  const receipt = done?.receipt
  const amount = amountOf(form.values.amount) ?? 0
  const byUpi = form.values.method === 'upi' && config !== undefined && config.upiAddress !== ''
  const payer = useQuery({ ...personQuery(uid), enabled: byUpi }).data
  const change = Math.round(((amountOf(given) ?? 0) - amount) * 100) / 100
  const isShort = form.values.method === 'cash' && given.trim() !== '' && change < 0

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
  const onSubmit = form.onSubmit(({ amount: typed, method, reference }) => {
    if (isShort) return tellShort(true)
    const paid = amountOf(typed) ?? 0
    const fines = { uid, charges: (charges ?? []).map((id) => ({ id, open: 0 })) }
    send(t('money.pay.label', { amount: paid, name }), { kind: 'pay', fines, amount: paid, method, reference })
  }, focusFirstError)
  return (
    <Dialog onClose={onClose} title={t('money.pay.title', { owed })}>
      {(waiting ?? unknown) && (
        <KeptTask
          waiting={waiting}
          unknown={unknown}
          onTryAgain={desk.tryAgain}
          onSetAside={desk.giveUp}
          onClose={onClose}
        />
      )}
      {/* Hidden, so that a refusal finds the input as it was. */}
      <form noValidate onSubmit={onSubmit} hidden={(waiting ?? unknown) !== null}>
        <Stack>
          {elsewhere.length > 0 && (
            <Alert color="orange" role="alert">
              {t('money.pay.elsewhere', { list: elsewhere.join(', ') })}
            </Alert>
          )}
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
            failure={refused && Object.keys(fieldsOf(refused)).length === 0 ? messageOf(refused) : null}
            submit={amount > 0 ? t('money.pay.take', { amount }) : t('money.pay.open')}
            pending={pending}
            onCancel={onClose}
          />
        </Stack>
      </form>
    </Dialog>
  )
}
