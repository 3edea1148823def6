import type { Loan } from '../../api/types'
import { DateText } from '../../ui/Facts'
import { counted, rupees } from '../../ui/format'
import { dueState } from './dueRules'
import classes from './LoanStatus.module.css'

/** The day a book is due, and in words whether it is late or soon will be. */
export function ReturnDate({ loan, today }: { loan: Loan; today: string }) {
  const state = dueState(loan, today)
  return (
    <div>
      <DateText day={loan.returnDate} />
      {state !== 'later' && (
        <div className={classes.status} data-state={state}>
          {state === 'soon' ? 'Due soon' : `${counted(loan.overdueDays, 'day', 'days')} overdue, ${rupees(loan.fine)}`}
        </div>
      )}
    </div>
  )
}
