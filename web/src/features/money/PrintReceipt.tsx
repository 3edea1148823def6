import { Button } from '@mantine/core'
import { Printer } from 'lucide-react'
import { useRef, useState, type Ref } from 'react'
import { useAction } from '../../api/action'
import { countPrint } from '../../api/money'
import type { Receipt } from '../../api/types'
import { useAltKey } from '../../lib/altKey'
import { lazyChunk } from '../../lib/lazyChunk'
import { t } from '../../lib/messages'
import { useReceiptPaper } from '../../print/paper'
import { LazyPart } from './LazyPart'

const PrintedReceipt = lazyChunk('printed-receipt', () => import('./PrintedReceipt'))

/** Counts a print of a receipt; `counted` is the receipt with its number of prints, until `done` (R-MONEY-3). */
export function useCountedPrint() {
  const [counted, setCounted] = useState<Receipt | null>(null)
  const count = useAction(countPrint, { failed: (reason) => t('money.receipt.printFailed', { reason }) })

  async function print(number: string) {
    // A second press while the first print is under way is no second print.
    if (count.pending || counted !== null) return
    const outcome = await count.run(number)
    if (outcome.ok) setCounted(outcome.output)
  }

  return { print, pending: count.pending, counted, done: () => setCounted(null) }
}

type PrintReceiptProps = {
  number: string
  /** True for the newest receipt of the desk, which Alt+P prints. */
  keyed?: boolean
  /** Takes the focus. */
  focused?: Ref<HTMLButtonElement>
}

/** Prints a receipt in place, on the paper last chosen. */
export function PrintReceipt({ number, keyed = false, focused }: PrintReceiptProps) {
  const { print, pending, counted, done } = useCountedPrint()
  const [paper] = useReceiptPaper()
  const button = useRef<HTMLButtonElement>(null)
  useAltKey('KeyP', button, keyed)
  return (
    <>
      <Button
        ref={focused ?? button}
        variant={keyed ? 'default' : 'filled'}
        aria-keyshortcuts={keyed ? 'Alt+P' : undefined}
        // Stays in place, so that the focus is kept.
        aria-busy={pending}
        leftSection={<Printer data-size="18" aria-hidden />}
        onClick={() => void print(number)}
      >
        {t(keyed ? 'money.receipt.printKey' : 'money.receipt.print')}
      </Button>
      {counted && (
        <LazyPart part={PrintedReceipt} onClose={done}>
          <PrintedReceipt receipt={counted} paper={paper} onDone={done} />
        </LazyPart>
      )}
    </>
  )
}
