import { NativeSelect, Stack, TextInput } from '@mantine/core'
import { useActionForm } from '../../api/form'
import { addCharge, refund, waive } from '../../api/money'
import type { Charge, Method } from '../../api/types'
import { amountOf, typedAmount } from '../../lib/amount'
import { moneyText, quoted } from '../../lib/format'
import { t } from '../../lib/messages'
import { messageOf } from '../../lib/problem'
import { AmountInput, amountProblem } from '../../ui/AmountInput'
import { Dialog } from '../../ui/Dialog'
import { DialogEnd } from '../../ui/DialogEnd'
import { CHARGES } from './lineText'
import { MethodSelect } from './MethodSelect'

export { Statement } from './Statement'

type Paying = { amount: string; method: Method; reference: string }
type Waiving = { charge: string; amount: string; reason: string }
type Charging = { amount: string; kind: Charge['of']; reason: string }

type Shared = { uid: number; onClose: () => void }

const required = (label: string) => t('field.required', { label })
const amountWrong = (typed: string) => amountProblem(t('money.account.amount'), typed)

const chargeText = ({ of, reason, open }: Charge) => `${t(`money.charge.${of}`)} · ${reason} · ${moneyText(open)}`

/** Form that waives a charge in whole or in part. */
export function Waive({ charges, onClose }: Shared & { charges: readonly Charge[] }) {
  const first = charges[0]
  const initial: Waiving = { charge: String(first?.id ?? ''), amount: first ? typedAmount(first.open) : '', reason: '' }
  const { form, onSubmit, pending, failure } = useActionForm({
    action: waive,
    initial,
    inputOf: ({ charge, amount, reason }) => ({
      charge: Number(charge),
      form: { amount: amountOf(amount) ?? 0, reason },
    }),
    validate: {
      amount: amountWrong,
      reason: (reason: string) => (reason.trim() === '' ? required(t('money.reason')) : null),
    },
    done: (_output, { form: { amount } }) => t('desk.screen.waived', { amount: amount ?? 0 }),
    onDone: onClose,
  })
  return (
    <Dialog onClose={onClose} title={t('money.waive.title')}>
      <form noValidate onSubmit={onSubmit}>
        <Stack>
          <NativeSelect
            label={t('money.waive.which')}
            data={charges.map((charge) => ({ value: String(charge.id), label: chargeText(charge) }))}
            {...form.getInputProps('charge')}
            onChange={({ currentTarget: { value } }) => {
              const chosen = charges.find((charge) => String(charge.id) === value)
              form.setValues({ charge: value, amount: chosen ? typedAmount(chosen.open) : '' })
            }}
          />
          <AmountInput label={t('money.account.amount')} data-autofocus {...form.getInputProps('amount')} />
          <TextInput label={t('money.reason')} autoComplete="off" {...form.getInputProps('reason')} />
          <DialogEnd
            failure={failure === null ? null : messageOf(failure)}
            submit={t('money.waive.submit')}
            pending={pending}
            onCancel={onClose}
          />
        </Stack>
      </form>
    </Dialog>
  )
}

/** Form that pays out a credit. */
export function Refund({ uid, credit, onClose }: Shared & { credit: number }) {
  const initial: Paying = { amount: typedAmount(credit), method: 'cash', reference: '' }
  const { form, onSubmit, pending, failure } = useActionForm({
    action: refund,
    initial,
    inputOf: ({ amount, method, reference }) => ({ uid, form: { amount: amountOf(amount) ?? 0, method, reference } }),
    validate: { amount: amountWrong },
    done: ({ amount }) => t('money.refund.done', { amount }),
    onDone: onClose,
  })
  return (
    <Dialog onClose={onClose} title={t('money.refund.title', { credit })}>
      <form noValidate onSubmit={onSubmit}>
        <Stack>
          <AmountInput label={t('money.account.amount')} data-autofocus {...form.getInputProps('amount')} />
          <MethodSelect {...form.getInputProps('method')} />
          <TextInput label={t('money.pay.reference')} autoComplete="off" {...form.getInputProps('reference')} />
          <DialogEnd
            failure={failure === null ? null : messageOf(failure)}
            submit={t('money.refund.submit')}
            pending={pending}
            onCancel={onClose}
          />
        </Stack>
      </form>
    </Dialog>
  )
}

/** Form that charges for damage or another cause. */
export function ChargeSomething({ uid, onClose }: Shared) {
  const initial: Charging = { amount: '', kind: 'damage', reason: '' }
  const { form, onSubmit, pending, failure } = useActionForm({
    action: addCharge,
    initial,
    inputOf: ({ amount, kind, reason }) => ({ uid, form: { amount: amountOf(amount) ?? 0, kind, reason } }),
    validate: {
      amount: amountWrong,
      reason: (reason: string) => (reason.trim() === '' ? required(t('money.charge.for')) : null),
    },
    done: ({ charge: { amount, reason } }) => t('money.charge.done', { amount, reason: quoted(reason) }),
    onDone: onClose,
  })
  return (
    <Dialog onClose={onClose} title={t('money.charge.title')}>
      <form noValidate onSubmit={onSubmit}>
        <Stack>
          <NativeSelect
            label={t('money.kind')}
            // Fines are left out, because the end of a loan charges them.
            data={CHARGES.filter((kind) => kind !== 'overdue').map((kind) => ({
              value: kind,
              label: t(`money.charge.${kind}`),
            }))}
            {...form.getInputProps('kind')}
          />
          <TextInput label={t('money.charge.for')} autoComplete="off" {...form.getInputProps('reason')} />
          <AmountInput label={t('money.account.amount')} data-autofocus {...form.getInputProps('amount')} />
          <DialogEnd
            failure={failure === null ? null : messageOf(failure)}
            submit={t('money.charge.submit')}
            pending={pending}
            onCancel={onClose}
          />
        </Stack>
      </form>
    </Dialog>
  )
}
