import { Button, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { accountQuery } from '../../api/money'
import { t } from '../../lib/messages'
import { notify } from '../../lib/notify'
import { messageOf } from '../../lib/problem'
import { Dialog } from '../../ui/Dialog'
import { owedOf } from './owedOf'
import { TakePayment } from './TakePayment'

/**
 * Opens the payment dialog of a person. The dialog is rendered apart from the button, because the payment may remove
 * the row of the button while the dialog still offers the receipt.
 */
export function useTakeMoney(onClosed?: () => void) {
  const queries = useQueryClient()
  const [open, setOpen] = useState<{ uid: number; name: string; owed: number } | null>(null)
  const [loading, setLoading] = useState<number | null>(null)

  async function take(uid: number, name: string) {
    setLoading(uid)
    try {
      setOpen({ uid, name, owed: owedOf(await queries.fetchQuery({ ...accountQuery(uid), staleTime: 0 })) })
    } catch (error) {
      notify.failure(messageOf(error))
    } finally {
      setLoading(null)
    }
  }

  function close() {
    setOpen(null)
    onClosed?.()
  }

  const dialog =
    open === null ? null : open.owed > 0 ? (
      <TakePayment uid={open.uid} name={open.name} owed={open.owed} onClose={close} />
    ) : (
      <Dialog onClose={close} title={t('money.pay.nothingTitle')}>
        <Text>{t('money.pay.nothing')}</Text>
      </Dialog>
    )
  return { take, loading, dialog }
}

type TakeMoneyProps = {
  uid: number
  name: string
  /** False hides the button; an open dialog stays. */
  shown?: boolean
  onClosed?: () => void
}

/** Button that takes a payment, for every place that shows a debt. */
export function TakeMoney({ uid, name, shown = true, onClosed }: TakeMoneyProps) {
  const { take, loading, dialog } = useTakeMoney(onClosed)
  return (
    <>
      {shown && (
        <Button variant="default" size="compact-sm" loading={loading !== null} onClick={() => void take(uid, name)}>
          {t('money.pay.open')}
        </Button>
      )}
      {dialog}
    </>
  )
}
