import type { Closing, Till } from '../../api/types'
import { t } from '../../lib/messages'
import { Money } from '../../ui/Facts'
import classes from './Till.module.css'

/** Adds two amounts without floating-point errors. */
export const sumOf = (one: number, two: number): number => Math.round((one + two) * 100) / 100

type TillFactsProps = {
  of: Pick<Closing | Till, 'sums' | 'expected' | 'receipts' | 'reversed'>
  /** Opening float: cash in the till at the beginning. */
  opening: number
}

/** Money by method, range of receipts, reversed receipts, and the expected cash including the opening float. */
export function TillFacts({ of, opening }: TillFactsProps) {
  const { sums, expected, receipts, reversed } = of
  return (
    <dl className={classes.facts}>
      {sums.map(({ method, amount, paidOut, reversed: takenBack, net }) => (
        <div key={method}>
          <dt>{t(`desk.screen.method.${method}`)}</dt>
          <dd>
            <Money amount={net} />
            {(paidOut !== 0 || takenBack !== 0) && (
              <span className={classes.parts}>{t('money.close.parts', { amount, reversed: takenBack, paidOut })}</span>
            )}
          </dd>
        </div>
      ))}
      <div>
        <dt>{t('money.close.receipts')}</dt>
        <dd className="tabular">
          {receipts === null
            ? t('money.close.noReceipts')
            : t('money.close.range', { first: receipts.first, last: receipts.last, count: receipts.count })}
        </dd>
      </div>
      <div>
        <dt>{t('money.close.reversed')}</dt>
        <dd className="tabular">{reversed.length === 0 ? t('money.close.noneReversed') : reversed.join(', ')}</dd>
      </div>
      {opening !== 0 && (
        <div>
          <dt>{t('money.close.opening')}</dt>
          <dd>
            <Money amount={opening} />
          </dd>
        </div>
      )}
      <div className={classes.sum}>
        <dt>{t('money.close.expected')}</dt>
        <dd>
          <Money amount={sumOf(opening, expected)} />
        </dd>
      </div>
    </dl>
  )
}
