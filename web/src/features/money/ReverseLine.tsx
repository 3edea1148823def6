import { Button } from '@mantine/core'
import { useState } from 'react'
import { useMay } from '../../api/account'
import type { Line } from '../../api/types'
import { quoted } from '../../lib/format'
import { lazyChunk } from '../../lib/lazyChunk'
import { t } from '../../lib/messages'
import { LazyPart } from './LazyPart'

const Reverse = lazyChunk('account', async () => ({ default: (await import('./AccountDialogs')).Reverse }))

/** Button on a line that reverses its payment or cancels its charge, on any day and with a reason (R-MONEY-3). */
export function ReverseLine({ line }: { line: Line }) {
  const [asked, setAsked] = useState(false)
  const may = useMay('money')
  const { kind, receipt, reversed } = line
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
      {asked && (
        <LazyPart part={Reverse} onClose={close}>
          <Reverse line={line} onClose={close} />
        </LazyPart>
      )}
    </>
  )
}
