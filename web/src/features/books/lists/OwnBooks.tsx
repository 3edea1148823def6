import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'
import { useAction } from '../../../api/action'
import { configQuery } from '../../../api/config'
import { extendLoan } from '../../../api/loans'
import type { MyLoan } from '../../../api/types'
import { quoted } from '../../../lib/format'
import { t } from '../../../lib/messages'
import { reasonsText } from '../../../lib/problem'
import { paths } from '../../../screens'
import { daysLeft, dueState } from '../../loans'
import { BookCover } from '../grid/BookCover'
import classes from './Highlights.module.css'
import { showWhole } from './showWhole'

type OwnBooksProps = {
  loans: readonly MyLoan[]
  today: string
  /** Id of the sentence that says why no loan can be extended now. */
  refusedBy: string | undefined
}

/** The reader's loans in a row, each with the days left and a button to extend it (R-LOAN-4). */
export function OwnBooks({ loans, ...shared }: OwnBooksProps) {
  return (
    <ul className={classes.covers} aria-label={t('books.slides.yours')}>
      {loans.map((loan) => (
        <OwnBook key={loan.id} loan={loan} {...shared} />
      ))}
    </ul>
  )
}

function OwnBook({ loan, today, refusedBy }: Omit<OwnBooksProps, 'loans'> & { loan: MyLoan }) {
  const { id, bookId, title, fine, overdueDays, renewalDays } = loan
  const isOn = useQuery(configQuery).data?.selfRenew === true
  const canExtend = isOn && fine === 0 && renewalDays > 0 && reasonsText(loan.refusals) === ''
  const [pending, setPending] = useState(false)
  const { run } = useAction(extendLoan, {
    done: ({ returnDate: day }) => t('books.slides.extended', { title: quoted(title), day }),
    failed: (reason) => t('books.slides.extendFailed', { reason }),
  })

  /** Extends once: the second click of a double click may arrive after the answer to the first. */
  async function extend(clicks: number) {
    if (pending || clicks > 1) return
    setPending(true)
    await (
      await run({ id })
    ).refreshed
    setPending(false)
  }

  return (
    <li className={classes.own}>
      <Link
        to={paths.studentBookDetail(bookId)}
        className={classes.ownCover}
        title={title}
        aria-label={title}
        onFocus={showWhole}
      >
        <BookCover book={{ id: bookId, title, author: '', photoURL: '' }} />
      </Link>
      <div className={classes.ownFacts}>
        <p className={classes.days} data-state={dueState(loan, today)}>
          {overdueDays > 0
            ? t('books.slides.overdue', { days: overdueDays })
            : t('books.slides.due', { days: daysLeft(loan, today) })}
        </p>
        {canExtend && (
          <Button
            variant="default"
            size="compact-sm"
            h={36}
            aria-label={t('books.slides.extendNamed', { title })}
            aria-describedby={refusedBy}
            disabled={refusedBy !== undefined}
            loading={pending}
            onClick={({ detail }) => void extend(detail)}
          >
            {t('books.slides.extend')}
          </Button>
        )}
      </div>
    </li>
  )
}
