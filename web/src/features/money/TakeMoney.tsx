import { Button, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { accountQuery } from '../../api/money'
import { t } from '../../lib/messages'
import { notify } from '../../lib/notify'
import { messageOf } from '../../lib/problem'
import { Dialog } from '../../ui/Dialog'
import { owedOf, Pay } from './AccountActions'

type TakeMoneyProps = { uid: number; onClosed: () => void }

/** Takes a payment, wherever a debt is shown. */
export function TakeMoney({ uid, onClosed }: TakeMoneyProps) {
  const queries = useQueryClient()
  const [owed, setOwed] = useState<number | null>(null)
  const [loading, setLoading] = useState(false)

  async function open() {
    setLoading(true)
    try {
      setOwed(owedOf(await queries.fetchQuery({ ...accountQuery(uid), staleTime: 0 })))
    } catch (error) {
      notify.failure(messageOf(error))
    } finally {
      setLoading(false)
    }
  }

  function close() {
    setOwed(null)
    onClosed()
  }

  return (
    <>
      <Button variant="default" size="compact-sm" loading={loading} onClick={() => void open()}>
        {t('money.pay.open')}
      </Button>
      {owed !== null && owed > 0 && <Pay uid={uid} owed={owed} onClose={close} />}
      {owed === 0 && (
        <Dialog onClose={close} title={t('money.pay.nothingTitle')}>
          <Text>{t('money.pay.nothing')}</Text>
        </Dialog>
      )}
    </>
  )
}
