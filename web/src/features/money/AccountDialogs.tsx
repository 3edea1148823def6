import { NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import { useEffect, type FormEventHandler, type ReactNode } from 'react'
import type { Charge, Line, Method } from '../../api/types'
import { actsOf } from '../../counter/acts'
import type { Task } from '../../counter/tasks'
import { useKeptTask, type KeptTask } from '../../counter/useKeptTask'
import { useTaskForm } from '../../counter/useTaskForm'
import { amountOf, typedAmount } from '../../lib/amount'
import { moneyText, quoted } from '../../lib/format'
import { t } from '../../lib/messages'
import { AmountInput, amountProblem } from '../../ui/AmountInput'
import { Dialog } from '../../ui/Dialog'
import { DialogEnd } from '../../ui/DialogEnd'
import { KeptForm } from './KeptForm'
import { CHARGES } from './lineText'
import { MethodSelect } from './MethodSelect'

export { Statement } from './Statement'

type Paying = { amount: string; method: Method; reference: string }
type Waiving = { charge: string; amount: string; reason: string }
type Charging = { amount: string; kind: Charge['of']; reason: string }

/** `name`: of the reader. */
type Shared = { uid: number; name: string; onClose: () => void }

const required = (label: string) => t('field.required', { label })
const amountWrong = (typed: string) => amountProblem(t('money.account.amount'), typed)

const chargeText = ({ of, reason, open }: Charge) => `${t(`money.charge.${of}`)} · ${reason} · ${moneyText(open)}`

type TaskDialogProps = {
  title: ReactNode
  kept: KeptTask
  onSubmit: FormEventHandler<HTMLFormElement>
  failure: string | null
  submit: string
  /** Label of the button that changes nothing. */
  cancel?: string
  /** Red button, for an action that cannot easily be undone. */
  danger?: boolean
  onClose: () => void
  children: ReactNode
}

/** Window with the form of a task; closes once the task is done. */
function TaskDialog({
  title,
  kept,
  onSubmit,
  failure,
  submit,
  cancel,
  danger = false,
  onClose,
  children,
}: TaskDialogProps) {
  const isDone = kept.done !== null
  useEffect(() => {
    if (isDone) onClose()
  }, [isDone, onClose])
  return (
    <Dialog onClose={onClose} title={title}>
      <KeptForm kept={kept} onClose={onClose}>
        <form noValidate onSubmit={onSubmit}>
          <Stack>
            {children}
            <DialogEnd
              failure={failure}
              submit={submit}
              cancel={cancel}
              pending={kept.pending}
              onCancel={onClose}
              danger={danger}
            />
          </Stack>
        </form>
      </KeptForm>
    </Dialog>
  )
}

/** Form that waives a charge in whole or in part. */
export function Waive({ uid, name, charges, onClose }: Shared & { charges: readonly Charge[] }) {
  const first = charges[0]
  const initial: Waiving = { charge: String(first?.id ?? ''), amount: first ? typedAmount(first.open) : '', reason: '' }
  const kept = useKeptTask((task) => task.kind === 'waive' && task.fines.uid === uid)
  const { form, failure, onSubmit } = useTaskForm(kept, {
    initial,
    validate: {
      amount: amountWrong,
      reason: (reason) => (reason.trim() === '' ? required(t('money.reason')) : null),
    },
    taskOf: ({ charge, amount: typed, reason }) => {
      const amount = amountOf(typed) ?? 0
      const chosen = charges.filter(({ id }) => String(id) === charge)
      return {
        label: t('money.waive.label', { amount, name }),
        task: { kind: 'waive', fines: { uid, name, charges: chosen }, reason, amount },
      }
    },
  })
  return (
    <TaskDialog
      title={t('money.waive.title')}
      kept={kept}
      onSubmit={onSubmit}
      failure={failure}
      submit={t('money.waive.submit')}
      onClose={onClose}
    >
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
    </TaskDialog>
  )
}

/** Form that pays out a credit. */
export function Refund({ uid, name, credit, onClose }: Shared & { credit: number }) {
  const initial: Paying = { amount: typedAmount(credit), method: 'cash', reference: '' }
  const kept = useKeptTask((task) => task.kind === 'refund' && task.uid === uid)
  const { form, failure, onSubmit } = useTaskForm(kept, {
    initial,
    validate: { amount: amountWrong },
    taskOf: ({ amount: typed, method, reference }) => {
      const amount = amountOf(typed) ?? 0
      return {
        label: t('money.refund.label', { amount, name }),
        task: { kind: 'refund', uid, name, amount, method, reference },
      }
    },
  })
  return (
    <TaskDialog
      title={t('money.refund.title', { credit })}
      kept={kept}
      onSubmit={onSubmit}
      failure={failure}
      submit={t('money.refund.submit')}
      onClose={onClose}
    >
      <AmountInput label={t('money.account.amount')} data-autofocus {...form.getInputProps('amount')} />
      <MethodSelect {...form.getInputProps('method')} />
      <TextInput label={t('money.pay.reference')} autoComplete="off" {...form.getInputProps('reference')} />
    </TaskDialog>
  )
}

/** Form that charges for damage or another cause. */
export function ChargeSomething({ uid, name, onClose }: Shared) {
  const initial: Charging = { amount: '', kind: 'damage', reason: '' }
  const kept = useKeptTask((task) => task.kind === 'charge' && task.uid === uid)
  const { form, failure, onSubmit } = useTaskForm(kept, {
    initial,
    validate: {
      amount: amountWrong,
      reason: (reason) => (reason.trim() === '' ? required(t('money.charge.for')) : null),
    },
    taskOf: ({ amount: typed, kind, reason }) => {
      const amount = amountOf(typed) ?? 0
      return {
        label: t('money.charge.label', { amount, name }),
        task: { kind: 'charge', uid, name, amount, of: kind, reason },
      }
    },
  })
  return (
    <TaskDialog
      title={t('money.charge.title')}
      kept={kept}
      onSubmit={onSubmit}
      failure={failure}
      submit={t('money.charge.submit')}
      onClose={onClose}
    >
      <NativeSelect
        label={t('money.kind')}
        data-autofocus
        // Fines are left out, because the end of a loan charges them.
        data={CHARGES.filter((kind) => kind !== 'overdue').map((kind) => ({
          value: kind,
          label: t(`money.charge.${kind}`),
        }))}
        {...form.getInputProps('kind')}
      />
      <TextInput label={t('money.charge.for')} autoComplete="off" {...form.getInputProps('reason')} />
      <AmountInput label={t('money.account.amount')} {...form.getInputProps('amount')} />
    </TaskDialog>
  )
}

/** Form that reverses the payment or the charge of a line, with a reason. */
export function Reverse({ line, onClose }: { line: Line; onClose: () => void }) {
  const { id, amount, receipt } = line
  const task = (reason: string): Task =>
    receipt === null
      ? { kind: 'reverse-charge', charge: id, amount, reason }
      : { kind: 'reverse-payment', receipt, amount: -amount, reason }
  const [act] = actsOf(task(''))
  const kept = useKeptTask((one) => actsOf(one)[0] === act)
  const title =
    receipt === null
      ? t('money.reverse.chargeNamed', { amount, of: quoted(line.reason) })
      : t('money.reverse.title', { receipt })
  const { form, failure, onSubmit } = useTaskForm(kept, {
    initial: { reason: '' },
    validate: { reason: (reason) => (reason.trim() === '' ? required(t('money.reason')) : null) },
    taskOf: ({ reason }) => ({ label: title, task: task(reason) }),
  })
  return (
    <TaskDialog
      title={<span dir="auto">{title}</span>}
      kept={kept}
      onSubmit={onSubmit}
      failure={failure}
      submit={t(receipt === null ? 'money.reverse.chargeSubmit' : 'money.reverse.submit')}
      cancel={t(receipt === null ? 'money.found.keep' : 'money.reverse.keep')}
      danger
      onClose={onClose}
    >
      <Text>{receipt === null ? t('money.reverse.chargeWhat') : t('money.reverse.what', { amount: -amount })}</Text>
      <TextInput label={t('money.reason')} autoComplete="off" data-autofocus {...form.getInputProps('reason')} />
    </TaskDialog>
  )
}
