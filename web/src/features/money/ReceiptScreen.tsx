import { Button, NativeSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Printer } from 'lucide-react'
import { useEffect } from 'react'
import { useParams, useSearchParams } from 'react-router'
import { configQuery, useLibraryName } from '../../api/config'
import { receiptQuery } from '../../api/money'
import type { Message, Receipt } from '../../api/types'
import { dayIn } from '../../lib/format'
import { translateMessage, t } from '../../lib/messages'
import { numberOfReceipt } from '../../lib/paths'
import { RECEIPT_PAPERS, useReceiptPaper, type PaperName } from '../../print/paper'
import { Sheet } from '../../print/Sheet'
import { Money } from '../../ui/Facts'
import { ListState } from '../../ui/ListState'
import { PageHeader } from '../../ui/PageHeader'
import classes from './Receipt.module.css'

/** A receipt, printed on a roll of 58 or 80 mm or on A5 (R-DESK-7). */
export default function ReceiptScreen() {
  const { id = '' } = useParams()
  const number = numberOfReceipt(id)
  const query = useQuery(receiptQuery(number))
  const config = useQuery(configQuery)
  const timeZone = config.data?.timeZone
  const [paper, choosePaper] = useReceiptPaper()
  const [search, setSearch] = useSearchParams()
  // The first print is the original; later prints are marked as copies (R-MONEY-3).
  const isCopy = !search.has('original')
  useEffect(() => {
    const printed = () =>
      setSearch(
        (before) => {
          before.delete('original')
          return before
        },
        { replace: true },
      )
    addEventListener('afterprint', printed)
    return () => removeEventListener('afterprint', printed)
  }, [setSearch])

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
            <Button leftSection={<Printer data-size="18" />} onClick={() => print()}>
              {t('money.receipt.print')}
            </Button>
          </div>
        }
      />
      <ListState query={{ ...query, data: timeZone ? query.data : undefined }} lines={6}>
        {(receipt) => <Paper receipt={receipt} isCopy={isCopy} paper={paper} timeZone={timeZone ?? 'UTC'} />}
      </ListState>
    </>
  )
}

type PaperProps = { receipt: Receipt; isCopy: boolean; paper: PaperName; timeZone: string }

function Paper({ receipt, isCopy, paper, timeZone }: PaperProps) {
  const library = useLibraryName()
  return (
    <Sheet paper={paper} className={classes.paper} label={t('money.receipt.title', { number: receipt.number })}>
      <header>
        <p className={classes.library} dir="auto">
          {library || 'My Library'}
        </p>
        <p>{t('money.receipt.title', { number: receipt.number })}</p>
        {isCopy && <p className={classes.mark}>{t('money.receipt.copy')}</p>}
        {receipt.reversed && <p className={classes.mark}>{t('money.receipt.reversed')}</p>}
      </header>
      <dl>
        <dt>{t('money.receipt.day')}</dt>
        <dd>{dayIn(receipt.at, timeZone)}</dd>
        <dt>{t('money.receipt.from')}</dt>
        <dd dir="auto">
          {receipt.userName}
          {receipt.rollNumber && ` (${receipt.rollNumber.toUpperCase()})`}
        </dd>
      </dl>
      <table>
        <tbody>
          {receipt.items.map((item, index) => (
            // oxlint-disable-next-line no-array-index-key -- the items of a receipt never change
            <tr key={index}>
              <td dir="auto">
                {t(`money.charge.${item.of}`)}: {item.reason}
                <Reasons reasons={item.explain} />
              </td>
              <td>
                <Money amount={item.amount} />
              </td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">
              {t('money.receipt.paid', { method: t(`desk.screen.method.${receipt.method}`) })}{' '}
              {receipt.reference && <span dir="auto">{receipt.reference}</span>}
            </th>
            <td>
              <Money amount={receipt.amount} />
            </td>
          </tr>
          <tr>
            <th scope="row">{t('money.receipt.balance')}</th>
            <td>
              <Money amount={receipt.balance} />
            </td>
          </tr>
        </tfoot>
      </table>
      <p dir="auto">{t('money.receipt.by', { name: receipt.by })}</p>
    </Sheet>
  )
}

/** Explanation of a charge, in small print. */
function Reasons({ reasons }: { reasons: readonly Message[] }) {
  if (reasons.length === 0) return null
  return (
    <ul className={classes.reasons}>
      {reasons.map((reason, index) => (
        // oxlint-disable-next-line no-array-index-key -- the steps have no identity beside their place
        <li key={index}>{translateMessage(reason)}</li>
      ))}
    </ul>
  )
}
