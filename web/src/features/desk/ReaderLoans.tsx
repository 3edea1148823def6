import { Button, Title } from '@mantine/core'
import { memo, useEffect, useState } from 'react'
import type { NamedLoan, DeskReader, Loan } from '../../api/types'
import type { Desk } from '../../counter/queue'
import { isAlt, showsKeys } from '../../lib/altKey'
import { t } from '../../lib/messages'
import { BookLink } from '../../ui/BookLink'
import { DateText, Money } from '../../ui/Facts'
import { DueDateDialog } from '../loans'
import classes from './ReaderLoans.module.css'

/** Number of loans shown at once. */
const SHOWN = 8

type ReaderLoansProps = {
  reader: DeskReader
  desk: Desk
  /** Called after a press: returns the focus to the scan box. */
  onPressed: () => void
  /** Called when a due date may have changed. */
  onChanged: () => void
  /** Asks about a lost copy; the window outlives the last row. */
  onLost: (loan: NamedLoan) => void
}

/** Loans of the open reader, the earliest due date first, with the actions on each (R-DESK-3). */
export const ReaderLoans = memo(function ReaderLoans({ reader, desk, onPressed, onChanged, onLost }: ReaderLoansProps) {
  const { loans } = reader
  const [all, setAll] = useState(false)
  const [dated, setDated] = useState<Loan | null>(null)
  const shown = all ? loans : loans.slice(0, SHOWN)
  const extend = (some: readonly Loan[]) => {
    for (const { barcode } of some) desk.extend(barcode, t('desk.loans.extending', { barcode }))
    onPressed()
  }
  const isPicking = usePick(shown, (loan) => extend([loan]))

  return (
    <section className={classes.loans} aria-labelledby="reader-loans">
      <div className={classes.head}>
        <Title order={2} size="h4" id="reader-loans">
          {t('desk.screen.loans')}
        </Title>
        {showsKeys() && <span className={classes.hint}>{t(isPicking ? 'desk.loans.pick' : 'desk.loans.key')}</span>}
        {loans.length > 1 && (
          <Button variant="default" size="compact-sm" h={34} onClick={() => extend(loans)}>
            {t('desk.loans.extendAll', { count: loans.length })}
          </Button>
        )}
      </div>
      <ul>
        {shown.map((loan, index) => (
          <li key={loan.id} data-overdue={loan.overdueDays > 0 || undefined}>
            <span className={classes.title}>
              {index < 9 && <kbd data-on={isPicking || undefined}>{t('desk.screen.digit', { n: index + 1 })}</kbd>}
              <BookLink id={loan.bookId} title={loan.title} />
            </span>
            <span className={classes.barcode}>{loan.barcode}</span>
            <span className={classes.due}>
              <DateText day={loan.returnDate} />
              {loan.overdueDays > 0 && <> · {t('desk.loans.late', { days: loan.overdueDays })}</>}
              {loan.fine > 0 && (
                <>
                  {' · '}
                  <Money amount={loan.fine} />
                </>
              )}
            </span>
            <span className={classes.actions}>
              <Button
                variant="default"
                size="compact-sm"
                h={34}
                aria-label={t('desk.loans.extendNamed', { title: loan.title, barcode: loan.barcode })}
                onClick={() => extend([loan])}
              >
                {t('desk.loans.extend')}
              </Button>
              <Button
                variant="subtle"
                size="compact-sm"
                h={34}
                aria-label={t('loans.due.named', { title: loan.title, name: reader.name })}
                onClick={() => setDated(loan)}
              >
                {t('loans.due.set')}
              </Button>
              <Button
                variant="subtle"
                size="compact-sm"
                h={34}
                aria-label={t('desk.loans.lostNamed', { title: loan.title, barcode: loan.barcode })}
                onClick={() => onLost(namedFor(reader, loan))}
              >
                {t('desk.loans.lost')}
              </Button>
            </span>
          </li>
        ))}
      </ul>
      {loans.length > shown.length && (
        <Button variant="subtle" size="compact-sm" h={34} onClick={() => setAll(true)}>
          {t('desk.loans.more', { count: loans.length - shown.length })}
        </Button>
      )}
      {dated && (
        <DueDateDialog
          loan={dated}
          onClose={() => {
            setDated(null)
            onChanged()
          }}
        />
      )}
    </section>
  )
})

const namedFor = ({ name, rollNumber, batch }: DeskReader, loan: Loan): NamedLoan => ({
  ...loan,
  userName: name,
  rollNumber: rollNumber ?? '',
  batch: batch ?? '',
})

/** Picks a loan by Alt+E and then Alt and a digit; plain digits belong to the scanner. */
function usePick(loans: readonly Loan[], onPick: (loan: Loan) => void): boolean {
  const [isPicking, setPicking] = useState(false)
  useEffect(() => {
    function onKey(event: KeyboardEvent) {
      if (isAlt(event, 'KeyE')) {
        event.preventDefault()
        setPicking((was) => !was)
        return
      }
      if (!isPicking) return
      const picked = loans.find((_, index) => isAlt(event, `Digit${index + 1}`) || isAlt(event, `Numpad${index + 1}`))
      if (!picked) return
      // The choices of an answer listen to the same keys, so they must not receive the event.
      event.preventDefault()
      event.stopImmediatePropagation()
      setPicking(false)
      onPick(picked)
    }
    addEventListener('keydown', onKey, true)
    return () => removeEventListener('keydown', onKey, true)
  }, [loans, isPicking, onPick])
  return isPicking
}
