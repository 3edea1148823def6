import type { Loan } from '../../api/types'
import { DateText, Money } from '../../ui/Facts'
import { t } from '../../lib/messages'
import { dueState } from './dueRules'
import classes from './LoanStatus.module.css'

type ReturnDateProps = {
  loan: Loan
  today: string
  /** Says the fine beside the days. */
  withFine?: boolean
}

/** The day a book is due, and in words whether it is late or soon will be. */
export function ReturnDate({ loan, today, withFine = false }: ReturnDateProps) {
  const state = dueState(loan, today)
  return (
    <div>
      <DateText day={loan.returnDate} />
      {state !== 'later' && (
        <div className={classes.status} data-state={state}>
          {state === 'overdue' ? overdueText(loan, withFine) : t(`loans.due.${state}`)}
        </div>
      )}
    </div>
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
