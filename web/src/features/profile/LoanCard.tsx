import type { ReactNode } from 'react'
import { Link } from 'react-router'
import type { Loan } from '../../api/types'
import { t } from '../../lib/messages'
import { paths } from '../../screens'
import { SmallCover } from '../../ui/SmallCover'
import { Reasons, Why } from '../../ui/Why'
import { daysLeft, dueState } from '../loans'
import classes from './ProfileScreen.module.css'

type LoanCardProps = { loan: Loan; today: string; buttons: () => ReactNode }

/** A loan on a phone. While a fine is due, a hint to go to the desk replaces the buttons (R-LOAN-6). */
export function LoanCard({ loan, today, buttons }: LoanCardProps) {
  const { title, bookId: id, overdueDays, fine, returnDate: day } = loan
  return (
    <li className={classes.card}>
      <div className={classes.cover}>
        <SmallCover id={loan.titleDeleted ? null : id} />
      </div>
      <div className={classes.words}>
        <h3 className={classes.bookTitle} dir="auto">
          <Link to={paths.studentBookDetail(id)} className={classes.bookLink}>
            {title}
          </Link>
        </h3>
        <p className={classes.due} data-state={dueState(loan, today)}>
          {overdueDays > 0
            ? t('loans.card.overdue', { day, days: overdueDays })
            : t('loans.card.due', { day, days: daysLeft(loan, today) })}
        </p>
      </div>
      <div className={classes.foot}>
        {fine > 0 ? <p className={classes.reason}>{t('profile.loans.fined', { fine })}</p> : buttons()}
        <Why of={title}>
          <Reasons reasons={loan.reasons} />
        </Why>
      </div>
    </li>
  )
}
