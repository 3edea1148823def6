import type { Loan } from '../../api/types'
import { DateText, Money } from '../../ui/Facts'
import { said, t } from '../../lib/messages'
import { dueState } from './dueRules'
import classes from './LoanStatus.module.css'

type ReturnDateProps = {
  loan: Loan
  today: string
  /** Says the fine beside the days. */
  withFine?: boolean
  /** Told to screen readers beside the title, where several people have the same book. */
  of?: string
  /** Says below it since when the book is out, where no column does. */
  since?: boolean
}

/** The day a book is due, and in words whether it is late or soon will be. */
export function ReturnDate({ loan, today, withFine = false, of, since = false }: ReturnDateProps) {
  const state = dueState(loan, today)
  const status = state !== 'later' && (
    <span className={classes.status} data-state={state}>
      {state === 'overdue' ? overdueText(loan, withFine) : t(`loans.due.${state}`)}
    </span>
  )
  return (
    <>
      <div className={classes.line}>
        <DateText day={loan.returnDate} />
        {since && status}
      </div>
      <div className={classes.line}>
        {since ? (
          <span className={`${classes.since} tabular`}>{t('loans.since', { day: loan.EntryDate })}</span>
        ) : (
          status
        )}
        <Why loan={loan} of={of} />
      </div>
    </>
  )
}

/** How the return date and the fine came about, step by step. */
function Why({ loan, of }: { loan: Loan; of: string | undefined }) {
  const why = t('loans.why')
  return (
    <details className={classes.why}>
      <summary aria-label={of ? `${why} ${loan.title}, ${of}` : `${why} ${loan.title}`}>{why}</summary>
      <ul>
        {loan.reasons.map((reason, index) => (
          // The steps have no identity beside their place.
          // oxlint-disable-next-line react/no-array-index-key
          <li key={index}>{said(reason)}</li>
        ))}
      </ul>
    </details>
  )
}

function overdueText({ overdueDays: days, fine }: Loan, withFine: boolean): string {
  return withFine ? t('loans.due.overdueFine', { days, fine }) : t('loans.due.overdue', { days })
}

/** What is owed; nothing stands back. */
export function Fine({ amount }: { amount: number }) {
  return (
    <span className={classes.fine} data-owed={amount > 0 || undefined}>
      <Money amount={amount} />
    </span>
  )
}
