import { Button } from '@mantine/core'
import { Printer } from 'lucide-react'
import { useRef, type Ref } from 'react'
import { showsKeys, useAltKey } from '../../lib/altKey'
import { lazyChunk } from '../../lib/lazyChunk'
import { t } from '../../lib/messages'
import { useReceiptPaper } from '../../print/paper'
import { LazyPart } from './LazyPart'
import { useCountedPrint } from './useCountedPrint'

const screen = () => import('./ReceiptScreen')
const PrintedReceipt = lazyChunk('receipt', async () => ({ default: (await screen()).PrintedReceipt }))

type PrintReceiptProps = {
  number: string
  /** True for the newest receipt of the desk, which Alt+P prints. */
  keyed?: boolean
  /** Ref that gives the button the focus. */
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
        // Not disabled while pending, so that the button keeps the focus.
        aria-busy={pending}
        leftSection={<Printer data-size="18" aria-hidden />}
        onClick={() => void print(number)}
      >
        {t(keyed && showsKeys() ? 'money.receipt.printKey' : 'money.receipt.print')}
      </Button>
      {counted && (
        <LazyPart part={PrintedReceipt} onClose={done}>
          <PrintedReceipt receipt={counted} paper={paper} onDone={done} />
        </LazyPart>
      )}
    </>
  )
}
