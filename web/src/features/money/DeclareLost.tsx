import { Button, Group, Skeleton, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useMay } from '../../api/account'
import { copyByBarcodeQuery } from '../../api/copies'
import { useActionForm } from '../../api/form'
import { declareLost } from '../../api/money'
import type { NamedLoan, LostLoan } from '../../api/types'
import { amountOf, typedAmount } from '../../lib/amount'
import { focusHere } from '../../lib/focus'
import { quoted } from '../../lib/format'
import { t } from '../../lib/messages'
import { messageOf } from '../../lib/problem'
import { AmountInput, amountProblem } from '../../ui/AmountInput'
import { Dialog } from '../../ui/Dialog'
import { DialogEnd } from '../../ui/DialogEnd'
import { ErrorState } from '../../ui/ErrorState'
import { TakePayment } from './TakePayment'

export type DeclareLostProps = { loan: NamedLoan; onClose: () => void }

/**
 * Declares a copy lost: ends the loan, and charges its fine and the copy's price, which can be paid at once
 * (R-MONEY-4).
 */
export default function DeclareLost({ loan, onClose }: DeclareLostProps) {
  const copy = useQuery({ ...copyByBarcodeQuery(loan.barcode), refetchOnMount: 'always' })
  const mayTake = useMay('desk')
  const [ended, setEnded] = useState<LostLoan | null>(null)
  const [taking, setTaking] = useState(false)
  if (ended !== null) {
    const owed = ended.charges.reduce((sum, { open }) => sum + open * 100, 0) / 100
    const charges = ended.charges.map(({ id }) => id)
    if (taking) return <TakePayment uid={ended.userId} owed={owed} charges={charges} onClose={onClose} />
    return (
      <Dialog onClose={onClose} title={t('money.lost.title')}>
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
      </Dialog>
    )
  }
  return (
    <Dialog onClose={onClose} title={t('money.lost.title')}>
      {copy.isFetchedAfterMount && copy.data !== undefined ? (
        <Form
          loan={loan}
          price={copy.data?.price ?? null}
          onClose={onClose}
          onEnded={(lost) => (mayTake && lost.charges.length > 0 ? setEnded(lost) : onClose())}
        />
      ) : copy.isError ? (
        <ErrorState error={copy.error} onRetry={() => void copy.refetch()} />
      ) : (
        <Skeleton height={160} />
      )}
    </Dialog>
  )
}

type FormProps = DeclareLostProps & { price: number | null; onEnded: (lost: LostLoan) => void }

function Form({ loan, price, onClose, onEnded }: FormProps) {
  const { form, onSubmit, pending, failure } = useActionForm<
    { price: string },
    Parameters<typeof declareLost.send>[0],
    Awaited<ReturnType<typeof declareLost.send>>
  >({
    action: declareLost,
    initial: { price: price === null ? '' : typedAmount(price) },
    inputOf: (values) => ({ id: loan.id, price: amountOf(values.price) ?? 0 }),
    validate: {
      price: (typed: string) => amountProblem(t('copies.edit.price'), typed),
    },
    done: (_ended, { price: charged }) => t('money.lost.done', { title: quoted(loan.title), sum: loan.fine + charged }),
    onDone: onEnded,
  })
  const asked = amountOf(form.values.price) ?? 0

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
          failure={failure === null ? null : messageOf(failure)}
          submit={t('money.lost.submit')}
          pending={pending}
          onCancel={onClose}
          danger
        />
      </Stack>
    </form>
  )
}
