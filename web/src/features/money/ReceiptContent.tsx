import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { configQuery, usePrintedName } from '../../api/config'
import type { Message, Receipt } from '../../api/types'
import { momentText } from '../../lib/format'
import { translateMessage, t } from '../../lib/messages'
import { Money } from '../../ui/Facts'
import classes from './Receipt.module.css'

type ReceiptContentProps = {
  receipt: Receipt
  /** Mark that identifies a copy. */
  mark: ReactNode
}

/** Mark of a counted print: all but the first are copies (R-MONEY-3). */
export const copyMark = (prints: number) =>
  prints > 1 && <p className={classes.mark}>{t('money.receipt.copyNumber', { number: prints })}</p>

/** Content of a receipt, for any paper (R-DESK-7). */
export function ReceiptContent({ receipt, mark }: ReceiptContentProps) {
  const library = usePrintedName()
  const config = useQuery(configQuery).data
  const timeZone = config?.timeZone ?? 'UTC'
  return (
    <>
      <header>
        <p className={classes.library} dir="auto">
          {library}
        </p>
        {config?.address && <p dir="auto">{config.address}</p>}
        <p>{t('money.receipt.title', { number: receipt.number })}</p>
        {mark}
        {receipt.reversed && <p className={classes.mark}>{t('money.receipt.reversed')}</p>}
      </header>
      <dl>
        <dt>{t('money.receipt.day')}</dt>
        <dd>{momentText(receipt.at, timeZone)}</dd>
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
      {config?.onReceipts && <p dir="auto">{config.onReceipts}</p>}
      <p className={classes.stamp}>{t('money.receipt.stamp')}</p>
    </>
  )
}

/** Explanation of a charge, in small print. */
export function Reasons({ reasons }: { reasons: readonly Message[] }) {
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
