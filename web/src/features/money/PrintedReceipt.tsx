import type { Receipt } from '../../api/types'
import type { PaperName } from '../../print/paper'
import { PrintNow } from '../../print/PrintNow'
import classes from './Receipt.module.css'
import { copyMark, ReceiptContent } from './ReceiptContent'

type PrintedReceiptProps = { receipt: Receipt; paper: PaperName; onDone: () => void }

/** Prints a receipt without showing it; the server has already counted this print. */
export function PrintedReceipt({ receipt, paper, onDone }: PrintedReceiptProps) {
  return (
    <PrintNow paper={paper} className={classes.paper} onDone={onDone}>
      <ReceiptContent receipt={receipt} mark={copyMark(receipt.prints)} />
    </PrintNow>
  )
}
