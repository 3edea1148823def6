import { Button, Group, Skeleton, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useMay } from '../../api/account'
import { copyByBarcodeQuery } from '../../api/copies'
import type { NamedLoan } from '../../api/types'
import { useKeptTask, type KeptTask } from '../../counter/useKeptTask'
import { useTaskForm } from '../../counter/useTaskForm'
import { amountOf, typedAmount } from '../../lib/amount'
import { focusHere } from '../../lib/focus'
import { quoted } from '../../lib/format'
import { t } from '../../lib/messages'
import { AmountInput, amountProblem } from '../../ui/AmountInput'
import { Dialog } from '../../ui/Dialog'
import { DialogEnd } from '../../ui/DialogEnd'
import { ErrorState } from '../../ui/ErrorState'
import { KeptForm } from './KeptForm'
import { TakePayment } from './TakePayment'

export type DeclareLostProps = { loan: NamedLoan; onClose: () => void }

/**
 * Declares a copy lost: ends the loan, and charges its fine and the copy's price, which can be paid at once
 * (R-MONEY-4). It is a task of the desk's queue.
 */
export default function DeclareLost({ loan, onClose }: DeclareLostProps) {
  const copy = useQuery({ ...copyByBarcodeQuery(loan.barcode), refetchOnMount: 'always' })
  const mayTake = useMay('desk')
  const kept = useKeptTask((task) => task.kind === 'lost' && task.loan.id === loan.id)
  const [taking, setTaking] = useState(false)
  const { done } = kept
  const charges = done?.lost?.charges ?? []
  const isOver = done !== null && (!mayTake || charges.length === 0)
  useEffect(() => {
    if (isOver) onClose()
  }, [isOver, onClose])
  const owed = charges.reduce((sum, { open }) => sum + open * 100, 0) / 100
  if (taking) {
    const ids = charges.map(({ id }) => id)
    return <TakePayment uid={loan.userId} name={loan.userName} owed={owed} charges={ids} onClose={onClose} />
  }
  return (
    <Dialog onClose={onClose} title={t('money.lost.title')}>
      {done ? (
        <Stack>
          <Text dir="auto">{t('money.lost.charged', { title: quoted(loan.title), name: loan.userName, owed })}</Text>
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('money.lost.later')}
            </Button>
            <Button ref={focusHere} onClick={() => setTaking(true)}>
              {t('money.lost.take', { owed })}
            </Button>
          </Group>
        </Stack>
      ) : (
        <KeptForm kept={kept} onClose={onClose}>
          {copy.isFetchedAfterMount && copy.data !== undefined ? (
            <Form loan={loan} price={copy.data?.price ?? null} kept={kept} onClose={onClose} />
          ) : copy.isError ? (
            <ErrorState error={copy.error} onRetry={() => void copy.refetch()} />
          ) : (
            <Skeleton height={160} />
          )}
        </KeptForm>
      )}
    </Dialog>
  )
}

type FormProps = DeclareLostProps & { price: number | null; kept: KeptTask }

function Form({ loan, price, kept, onClose }: FormProps) {
  const { form, failure, onSubmit } = useTaskForm(kept, {
    initial: { price: price === null ? '' : typedAmount(price) },
    validate: { price: (typed) => amountProblem(t('copies.edit.price'), typed) },
    taskOf: ({ price: typed }) => {
      const { id, title, userId, userName } = loan
      return {
        label: t('money.lost.label', { title: quoted(title) }),
        task: { kind: 'lost', loan: { id, title, userId, userName }, price: amountOf(typed) ?? 0 },
      }
    },
  })
  const asked = Math.max(0, amountOf(form.values.price) ?? 0)

  return (
    <form noValidate onSubmit={onSubmit}>
      <Stack>
        <Text dir="auto">
          {t('money.lost.what', { title: quoted(loan.title), name: loan.userName, barcode: loan.barcode })}
        </Text>
        <AmountInput
          label={t('copies.edit.price')}
          description={price === null ? t('money.lost.unknown') : t('money.lost.known', { price })}
          ref={focusHere}
          {...form.getInputProps('price')}
        />
        <Text role="status">{t('money.lost.sum', { fine: loan.fine, price: asked, sum: loan.fine + asked })}</Text>
        <DialogEnd failure={failure} submit={t('money.lost.submit')} pending={kept.pending} onCancel={onClose} danger />
      </Stack>
    </form>
  )
}
