import { Button, Group, Skeleton, Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useMay } from '../../api/account'
import { copyByBarcodeQuery } from '../../api/copies'
import type { NamedLoan } from '../../api/types'
import { useKeptTask, type KeptTask as Kept } from '../../counter/useKeptTask'
import { amountOf, typedAmount } from '../../lib/amount'
import { focusFirstError, focusHere } from '../../lib/focus'
import { quoted } from '../../lib/format'
import { showAtFields } from '../../lib/forms'
import { t } from '../../lib/messages'
import { fieldsOf, messageOf } from '../../lib/problem'
import { AmountInput, amountProblem } from '../../ui/AmountInput'
import { Dialog } from '../../ui/Dialog'
import { DialogEnd } from '../../ui/DialogEnd'
import { ErrorState } from '../../ui/ErrorState'
import { KeptTask } from '../../ui/KeptTask'
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
  const { desk, waiting, unknown, done } = kept
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
        <>
          {(waiting ?? unknown) && (
            <KeptTask
              waiting={waiting}
              unknown={unknown}
              onTryAgain={desk.tryAgain}
              onSetAside={desk.giveUp}
              onClose={onClose}
            />
          )}
          <div hidden={(waiting ?? unknown) !== null}>
            {copy.isFetchedAfterMount && copy.data !== undefined ? (
              <Form loan={loan} price={copy.data?.price ?? null} kept={kept} onClose={onClose} />
            ) : copy.isError ? (
              <ErrorState error={copy.error} onRetry={() => void copy.refetch()} />
            ) : (
              <Skeleton height={160} />
            )}
          </div>
        </>
      )}
    </Dialog>
  )
}

type FormProps = DeclareLostProps & { price: number | null; kept: Kept }

function Form({ loan, price, kept: { send, pending, refused }, onClose }: FormProps) {
  const form = useForm({
    mode: 'controlled',
    initialValues: { price: price === null ? '' : typedAmount(price) },
    validate: { price: (typed) => amountProblem(t('copies.edit.price'), typed) },
  })
  const { setErrors } = form
  useEffect(() => {
    if (refused) showAtFields(refused, setErrors)
  }, [refused, setErrors])
  const asked = amountOf(form.values.price) ?? 0
  const onSubmit = form.onSubmit(({ price: typed }) => {
    const { id, title } = loan
    send(t('money.lost.label', { title: quoted(title) }), {
      kind: 'lost',
      loan: { id, title },
      price: amountOf(typed) ?? 0,
    })
  }, focusFirstError)

  return (
    <form noValidate onSubmit={onSubmit}>
      <Stack>
        <Text dir="auto">
          {t('money.lost.what', { title: quoted(loan.title), name: loan.userName, barcode: loan.barcode })}
        </Text>
        <AmountInput
          label={t('copies.edit.price')}
          description={price === null ? t('money.lost.unknown') : t('money.lost.known', { price })}
          data-autofocus
          {...form.getInputProps('price')}
        />
        <Text role="status">{t('money.lost.sum', { fine: loan.fine, price: asked, sum: loan.fine + asked })}</Text>
        <DialogEnd
          failure={refused && Object.keys(fieldsOf(refused)).length === 0 ? messageOf(refused) : null}
          submit={t('money.lost.submit')}
          pending={pending}
          onCancel={onClose}
          danger
        />
      </Stack>
    </form>
  )
}
