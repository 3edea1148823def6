import { Alert, Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { Link, useLocation, useNavigate } from 'react-router'
import { useAction } from '../../../api/action'
import { borrowBook, myLoansQuery } from '../../../api/loans'
import type { BookDetail } from '../../../api/types'
import { quoted } from '../../../lib/format'
import { rich, t } from '../../../lib/messages'
import { paths } from '../../../screens'
import { messageOf } from '../../../lib/problem'
import { Reserve } from '../../holds'
import { Availability } from './Availability'
import classes from './BookPage.module.css'

/** `Borrow`, or `Not Available` (R-LOAN-1, R-LOAN-2), with one sentence of explanation. */
export function Borrow({ book, visitor }: { book: BookDetail; visitor: boolean }) {
  const borrow = useAction(borrowBook, {
    done: (loan) => t('books.detail.borrowed', { title: quoted(book.title), day: loan.returnDate }),
  })
  const navigate = useNavigate()
  const { pathname, search } = useLocation()
  const refusal = useRef<HTMLDivElement>(null)
  const failed = borrow.error !== null
  const { own, free, offered, waiting } = book.reservation
  const isKept = own?.state === 'ready'
  // Copies on the shelf may be promised to waiting readers (R-HOLD-3).
  const promised = !visitor && book.noOfBooks > 0 && free === 0
  const { data } = useQuery({ ...myLoansQuery, enabled: !visitor })
  // The loan that is due first.
  const [loan] = (data?.loans ?? [])
    .filter(({ bookId }) => bookId === book.id)
    .toSorted((one, other) => (one.returnDate < other.returnDate ? -1 : 1))

  // The button may have become disabled, so the focus moves to the explanation.
  useEffect(() => {
    if (failed) refusal.current?.focus()
  }, [failed])

  async function begin() {
    const { ok } = await borrow.run(book.id)
    if (ok) await navigate(paths.studentHome())
  }

  return (
    <>
      {loan && !borrow.succeeded && (
        <p className={classes.yours}>
          {rich(loan.overdueDays > 0 ? 'books.detail.yoursOverdue' : 'books.detail.yours', {
            day: loan.returnDate,
            link: (words) => <Link to={paths.profile()}>{words}</Link>,
          })}
        </p>
      )}
      {!isKept && (book.status !== 'Available' || promised) ? (
        <Button size="md" disabled>
          {t('books.detail.notAvailable')}
        </Button>
      ) : visitor ? (
        <Button size="md" component={Link} to={paths.login(pathname + search)}>
          {t('books.detail.borrow')}
        </Button>
      ) : (
        // Busy until the home screen replaces it.
        <Button
          size="md"
          variant={loan ? 'default' : 'filled'}
          loading={borrow.pending || borrow.succeeded}
          onClick={() => void begin()}
        >
          {t('books.detail.borrow')}
        </Button>
      )}
      {!isKept && <Availability book={book} />}
      {waiting > 0 && own === null && !offered && <p className={classes.waiting}>{t('holds.waiting', { waiting })}</p>}
      {!visitor && <Reserve book={book} />}
      {failed && (
        <Alert ref={refusal} color="red" role="alert" tabIndex={-1} w="100%">
          {messageOf(borrow.error)}
        </Alert>
      )}
    </>
  )
}
