import { Button, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useMay } from '../../api/account'
import type { Action } from '../../api/action'
import { useActionForm } from '../../api/form'
import { reverseCharge, reversePayment } from '../../api/money'
import type { Line } from '../../api/types'
import { quoted } from '../../lib/format'
import { t } from '../../lib/messages'
import { fieldsOf, messageOf } from '../../lib/problem'
import { Dialog } from '../../ui/Dialog'
import { DialogEnd } from '../../ui/DialogEnd'

/** Button on a line that reverses its payment or cancels its charge, on any day and with a reason (R-MONEY-3). */
export function ReverseLine({ line }: { line: Line }) {
  const [asked, setAsked] = useState(false)
  const may = useMay('money')
  const { id, kind, amount, receipt, reversed } = line
  if (!may || reversed || (kind !== 'charge' && kind !== 'payment')) return null
  const close = () => setAsked(false)
  const of = quoted(line.reason)
  const what = receipt === null ? t('money.reverse.charge') : t('money.reverse.payment')
  return (
    <>
      <Button
        variant="subtle"
        size="compact-sm"
        h={34}
        aria-label={`${what} ${receipt === null ? of : receipt}`}
        onClick={() => setAsked(true)}
      >
        {what}
      </Button>
      {asked && receipt === null && (
        <AskWhy
          action={reverseCharge}
          inputOf={(reason) => ({ id, reason })}
          title={t('money.reverse.chargeNamed', { amount, of })}
          what={t('money.reverse.chargeWhat')}
          submit={t('money.reverse.chargeSubmit')}
          done={t('money.reverse.chargeDone', { amount })}
          onClose={close}
        />
      )}
      {asked && receipt !== null && (
        <AskWhy
          action={reversePayment}
          inputOf={(reason) => ({ receipt, reason })}
          title={t('money.reverse.title', { receipt })}
          what={t('money.reverse.what', { amount: -amount })}
          submit={t('money.reverse.submit')}
          done={t('money.reverse.done', { receipt, amount: -amount })}
          onClose={close}
        />
      )}
    </>
  )
}

type AskWhyProps<Input, Output> = {
  action: Action<Input, Output>
  inputOf: (reason: string) => Input
  title: string
  what: string
  submit: string
  done: string
  onClose: () => void
}

function AskWhy<Input, Output>(props: AskWhyProps<Input, Output>) {
  const { action, inputOf, title, what, submit, done, onClose } = props
  const { form, onSubmit, pending, error } = useActionForm({
    action,
    initial: { reason: '' },
    inputOf: ({ reason }: { reason: string }) => inputOf(reason),
    validate: {
      reason: (reason: string) => (reason.trim() === '' ? t('field.required', { label: t('money.reason') }) : null),
    },
    done: () => done,
    onDone: onClose,
  })
  return (
    <Dialog onClose={onClose} title={<span dir="auto">{title}</span>}>
      <form noValidate onSubmit={onSubmit}>
        <Stack>
          <Text>{what}</Text>
          <TextInput label={t('money.reason')} autoComplete="off" data-autofocus {...form.getInputProps('reason')} />
          <DialogEnd failure={failureOf(error)} submit={submit} pending={pending} onCancel={onClose} danger />
        </Stack>
      </form>
    </Dialog>
  )
}

/** Returns a failure that is not about the reason field: the server may refuse the line itself. */
function failureOf(error: unknown): string | null {
  if (error === null) return null
  const { reason, ...others } = fieldsOf(error)
  return reason === undefined ? (Object.values(others)[0] ?? messageOf(error)) : null
}
