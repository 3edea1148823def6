import { Button, NativeSelect } from '@mantine/core'
import { useRef, useState } from 'react'
import { takePayment, waiveCharge } from '../../api/money'
import type { Charge, PaymentForm } from '../../api/types'
import { amountOf } from '../../lib/amount'
import { t } from '../../lib/messages'
import { AmountInput, amountProblem } from '../../ui/AmountInput'
import { Anyway } from './Anyway'
import type { OnSettle } from '../../counter/queue'
import classes from './Desk.module.css'

type FineProps = { charge: Charge; uid: number; onSettle: OnSettle }

const METHODS = ['cash', 'upi', 'card', 'other'] as const satisfies readonly PaymentForm['method'][]

/** What a return was charged with: taken now, waived with a reason, or left for later (R-DESK-7). */
export function Fine({ charge, uid, onSettle }: FineProps) {
  const [state, setState] = useState<'offered' | 'waiving' | 'settled'>('offered')
  const [typed, setTyped] = useState(String(charge.open))
  const [wrong, setWrong] = useState<string | null>(null)
  const box = useRef<HTMLInputElement>(null)
  const [method, setMethod] = useState<PaymentForm['method']>('cash')
  const amount = amountOf(typed)
  const isPayable = amount !== null && amount > 0 && amount <= charge.open

  if (state === 'settled') return null
  if (state === 'waiving') {
    return (
      <Anyway
        label={t('desk.screen.waive', { amount: charge.open })}
        onGiven={(reason) => {
          setState('settled')
          onSettle(t('desk.screen.waive', { amount: charge.open }), async (key) => {
            const { change } = await waiveCharge(charge.id, reason, key)
            return { words: [t('desk.screen.waived', { amount: charge.open })], change }
          })
        }}
      />
    )
  }
  return (
    <form
      noValidate
      className={classes.fine}
      onSubmit={(event) => {
        event.preventDefault()
        if (!isPayable) {
          const label = t('desk.screen.amount')
          const range = { label, min: Math.min(0.01, charge.open), max: charge.open }
          setWrong(amountProblem(label, typed) ?? t('field.amountOutOfRange', range))
          box.current?.focus()
          return
        }
        setState('settled')
        onSettle(t('desk.screen.take', { amount }), async (key) => {
          const { receipt, change } = await takePayment(uid, { amount, method, charges: [charge.id] }, key)
          const words = [t('desk.screen.taken', { amount: receipt.amount, number: receipt.number })]
          return { words, receipt, change }
        })
      }}
    >
      <AmountInput
        ref={box}
        label={t('desk.screen.amount')}
        value={typed}
        error={wrong}
        onChange={(event) => {
          setTyped(event.currentTarget.value)
          setWrong(null)
        }}
      />
      <NativeSelect
        label={t('desk.screen.method')}
        value={method}
        data={METHODS.map((value) => ({ value, label: t(`desk.screen.method.${value}`) }))}
        onChange={({ currentTarget: { value } }) => setMethod(METHODS.find((one) => one === value) ?? 'cash')}
      />
      <Button type="submit">{isPayable ? t('desk.screen.take', { amount }) : t('desk.screen.takeNothing')}</Button>
      <Button variant="default" onClick={() => setState('waiving')}>
        {t('desk.screen.waiveOpen')}
      </Button>
      <Button variant="subtle" onClick={() => setState('settled')}>
        {t('desk.screen.later')}
      </Button>
    </form>
  )
}
