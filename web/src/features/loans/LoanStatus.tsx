import type { Loan } from '../../api/types'
import { DateText, Money } from '../../ui/Facts'
import { t, translateMessage } from '../../lib/messages'
import { Reasons, Why } from '../../ui/Why'
import { dueState } from './dueRules'
import classes from './LoanStatus.module.css'

type ReturnDateProps = {
  loan: Loan
  today: string
  /** Shows the fine beside the days. */
  withFine?: boolean
  /**
   * Borrower, in a list of many readers' loans: named for screen readers, because several may have the same book. A due
   * date with a single reason and no fine then shows the reason on hover, instead of a `Why?` in every row (L9).
   */
  of?: string
  /** Shows the first day of the loan below, if the table has no column for it. */
  since?: boolean
  /** Day on which the reader was last reminded of the loan. */
  reminded?: string | null
}

/** Due date, marked if it is past or near. */
export function ReturnDate({ loan, today, withFine = false, of, since = false, reminded = null }: ReturnDateProps) {
  const state = dueState(loan, today)
  const status = state !== 'later' && (
    <span className={classes.status} data-state={state}>
      {state === 'overdue' ? overdueText(loan, withFine) : t(`loans.due.${state}`)}
    </span>
  )
  const [first, ...further] = loan.reasons
  const isPlain = of !== undefined && loan.fine === 0 && further.length === 0
  return (
    <>
      <div className={classes.line}>
        <DateText day={loan.returnDate} title={isPlain && first ? translateMessage(first) : undefined} />
        {since && status}
      </div>
      <div className={classes.line}>
        {since ? (
          <span className={`${classes.since} tabular`}>{t('loans.since', { day: loan.EntryDate })}</span>
        ) : (
          status
        )}
        {!isPlain && (
          <Why of={of ? `${loan.title}, ${of}` : loan.title}>
            <Reasons reasons={loan.reasons} />
          </Why>
        )}
      </div>
      {reminded && <div className={`${classes.since} tabular`}>{t('loans.reminded', { day: reminded })}</div>}
    </>
  )
}

function overdueText({ overdueDays: days, fine }: Loan, withFine: boolean): string {
  return withFine ? t('loans.due.overdueFine', { days, fine }) : t('loans.due.overdue', { days })
}

/** Amount of a fine, marked if it is not zero. */
export function Fine({ amount }: { amount: number }) {
  return (
    <span className={classes.fine} data-owed={amount > 0 || undefined}>
      <Money amount={amount} />
    </span>
  )
}
