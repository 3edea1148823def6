import { Button } from '@mantine/core'
import { useState } from 'react'
import { useMay } from '../../api/account'
import type { Account } from '../../api/types'
import { lazyChunk } from '../../lib/lazyChunk'
import { t } from '../../lib/messages'
import classes from './Account.module.css'
import { LazyPart } from './LazyPart'
import { owedOf } from './owedOf'
import { TakePayment } from './TakePayment'

const dialogs = () => import('./AccountDialogs')
const Waive = lazyChunk('account', async () => ({ default: (await dialogs()).Waive }))
const Refund = lazyChunk('account', async () => ({ default: (await dialogs()).Refund }))
const ChargeSomething = lazyChunk('account', async () => ({ default: (await dialogs()).ChargeSomething }))
const Statement = lazyChunk('account', async () => ({ default: (await dialogs()).Statement }))

type Open = 'pay' | 'charge' | 'waive' | 'refund' | 'statement'

type AccountActionsProps = { uid: number; name: string; account: Account }

/** A librarian's actions on an account: payment, waiver, charge, refund (R-PEOPLE-2), and a printed statement. */
export function AccountActions({ uid, name, account }: AccountActionsProps) {
  const [open, setOpen] = useState<Open | null>(null)
  const desk = useMay('desk')
  const money = useMay('money')
  const { charges, credit } = account
  const owed = owedOf(account)
  const close = () => setOpen(null)
  const shared = { uid, name, onClose: close }
  return (
    <div className={classes.actions}>
      {desk && owed > 0 && <Button onClick={() => setOpen('pay')}>{t('money.pay.open')}</Button>}
      {money && owed > 0 && (
        <Button variant="default" onClick={() => setOpen('waive')}>
          {t('money.waive.open')}
        </Button>
      )}
      {money && credit > 0 && <Button onClick={() => setOpen('refund')}>{t('money.refund.open')}</Button>}
      {money && (
        <Button variant="default" onClick={() => setOpen('charge')}>
          {t('money.charge.open')}
        </Button>
      )}
      {(owed > 0 || account.running > 0) && (
        <Button variant="default" aria-busy={open === 'statement'} onClick={() => setOpen('statement')}>
          {t('money.statement.print')}
        </Button>
      )}
      {open === 'statement' && (
        <LazyPart part={Statement} onClose={close}>
          <Statement uid={uid} account={account} onDone={close} />
        </LazyPart>
      )}
      {open === 'pay' && <TakePayment {...shared} owed={owed} />}
      {open === 'waive' && (
        <LazyPart part={Waive} onClose={close}>
          <Waive {...shared} charges={charges} />
        </LazyPart>
      )}
      {open === 'refund' && (
        <LazyPart part={Refund} onClose={close}>
          <Refund {...shared} credit={credit} />
        </LazyPart>
      )}
      {open === 'charge' && (
        <LazyPart part={ChargeSomething} onClose={close}>
          <ChargeSomething {...shared} />
        </LazyPart>
      )}
    </div>
  )
}
