import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { meQuery } from '../../api/account'
import { configQuery } from '../../api/config'
import type { Account } from '../../api/types'
import { lazyChunk } from '../../lib/lazyChunk'
import { t } from '../../lib/messages'
import { LazyPart } from './LazyPart'
import { owedOf } from './owedOf'

const PayByUpi = lazyChunk('upi', () => import('./PayByUpi'))

/** Lets students pay their own dues by UPI, if the library takes such payments. */
export function PayMine({ account }: { account: Account }) {
  const config = useQuery(configQuery).data
  const me = useQuery(meQuery).data
  const [open, setOpen] = useState(false)
  const owed = owedOf(account)
  if (!config || config.upiAddress === '' || !me || owed <= 0) return null
  const close = () => setOpen(false)
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        {t('money.upi.pay')}
      </Button>
      {open && (
        <LazyPart part={PayByUpi} onClose={close}>
          <PayByUpi
            address={config.upiAddress}
            library={config.name}
            amount={owed}
            note={t('money.upi.note', { payer: me.rollNumber ?? me.name })}
            onClose={close}
          />
        </LazyPart>
      )}
    </>
  )
}
