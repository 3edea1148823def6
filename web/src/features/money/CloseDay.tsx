import { Button } from '@mantine/core'
import { useState } from 'react'
import { lazyChunk } from '../../lib/lazyChunk'
import { t } from '../../lib/messages'
import { LazyPart } from './LazyPart'

const screen = () => import('./ClosingsScreen')
const CloseDialog = lazyChunk('closings', async () => ({ default: (await screen()).CloseDialog }))

/** Button that closes the till. */
export function CloseDay() {
  const [asked, setAsked] = useState(false)
  const close = () => setAsked(false)
  return (
    <>
      <Button onClick={() => setAsked(true)}>{t('money.close.open')}</Button>
      {asked && (
        <LazyPart part={CloseDialog} onClose={close}>
          <CloseDialog onClose={close} />
        </LazyPart>
      )}
    </>
  )
}
