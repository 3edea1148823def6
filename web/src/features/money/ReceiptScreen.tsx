import { Button, NativeSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Printer } from 'lucide-react'
import { useParams } from 'react-router'
import { configQuery } from '../../api/config'
import { receiptQuery } from '../../api/money'
import { t } from '../../lib/messages'
import { numberOfReceipt } from '../../lib/paths'
import { RECEIPT_PAPERS, useReceiptPaper } from '../../print/paper'
import { Sheet } from '../../print/Sheet'
import { usePrinting } from '../../print/usePrinting'
import { ListState } from '../../ui/ListState'
import { PageHeader } from '../../ui/PageHeader'
import classes from './Receipt.module.css'
import { copyMark, ReceiptContent } from './ReceiptContent'
import { useCountedPrint } from './useCountedPrint'

// One chunk for this screen and for receipts printed from other screens.
export { PrintedReceipt } from './PrintedReceipt'

/** A receipt, printed on a roll of 58 or 80 mm or on A5 (R-DESK-7). */
export default function ReceiptScreen() {
  const { id = '' } = useParams()
  const number = numberOfReceipt(id)
  const query = useQuery({ ...receiptQuery(number), refetchOnMount: 'always' })
  const config = useQuery(configQuery)
  const [paper, choosePaper] = useReceiptPaper()
  const { print, pending, counted, done } = useCountedPrint()

  return (
    <>
      <PageHeader
        title={t('money.receipt.title', { number })}
        actions={
          <div className={classes.actions}>
            <NativeSelect
              size="sm"
              aria-label={t('money.receipt.paper')}
              value={paper}
              data={RECEIPT_PAPERS.map((name) => ({ value: name, label: t(`money.receipt.paper.${name}`) }))}
              onChange={({ currentTarget: { value } }) =>
                choosePaper(RECEIPT_PAPERS.find((name) => name === value) ?? paper)
              }
            />
            <Button
              leftSection={<Printer data-size="18" aria-hidden />}
              aria-busy={pending}
              onClick={() => void print(number)}
            >
              {t('money.receipt.print')}
            </Button>
          </div>
        }
      />
      <ListState query={{ ...query, data: config.data ? query.data : undefined }} lines={6}>
        {(receipt) => (
          <Sheet paper={paper} className={classes.paper} label={t('money.receipt.title', { number: receipt.number })}>
            <ReceiptContent
              receipt={counted ?? receipt}
              mark={
                counted ? (
                  copyMark(counted.prints)
                ) : (
                  <>
                    <div className={classes.onScreen}>{copyMark(receipt.prints + 1)}</div>
                    {/* The browser's own print is not counted, so it is never the original. */}
                    <p className={`${classes.mark} ${classes.uncounted}`}>{t('money.receipt.copy')}</p>
                  </>
                )
              }
            />
          </Sheet>
        )}
      </ListState>
      {counted && <PrintPage onDone={done} />}
    </>
  )
}

function PrintPage({ onDone }: { onDone: () => void }) {
  usePrinting(onDone)
  return null
}
