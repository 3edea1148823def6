import type { Loan } from '../../api/types'
import { DateText, Money } from '../../ui/Facts'
import { counted, moneyText } from '../../lib/format'
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
  const words = { today: 'Due today', soon: 'Due soon', later: '' }
  const late = `${counted(loan.overdueDays, 'day', 'days')} overdue`
  return (
    <div>
      <DateText day={loan.returnDate} />
      {state !== 'later' && (
        <div className={classes.status} data-state={state}>
          {state !== 'overdue' ? words[state] : withFine ? `${late}, ${moneyText(loan.fine)}` : late}
        </div>
      )}
    </div>
  )
}

/** What is owed; nothing stands back. */
export function Fine({ amount }: { amount: number }) {
  return (
    <span className={classes.fine} data-owed={amount > 0 || undefined}>
      <Money amount={amount} />
    </span>
  )
}
