import { Alert, Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { Store } from 'lucide-react'
import { useEffect, useId, useRef } from 'react'
import { Link, useLocation, useNavigate } from 'react-router'
import { useAction } from '../../../api/action'
import { borrowBook, myLoansQuery } from '../../../api/loans'
import type { BookDetail, MyLoan, User } from '../../../api/types'
import { quoted } from '../../../lib/format'
import { rich, t } from '../../../lib/messages'
import { paths } from '../../../screens'
import { messageOf, reasonsText } from '../../../lib/problem'
import { ConfirmModal } from '../../../ui/ConfirmModal'
import { Reserve } from '../../holds'
import { MyCard } from '../../profile'
import { Availability } from './Availability'
import classes from './BookPage.module.css'

/** Names the sentence about a reader's own loan; a book with a fine is returned at the desk. */
function yoursOf({ overdueDays, fine }: MyLoan) {
  if (fine > 0) return 'books.detail.yoursFined'
  return overdueDays > 0 ? 'books.detail.yoursOverdue' : 'books.detail.yours'
}

/** Id of the refusal that applies if students may borrow only at the desk. */
const AT_DESK = 'self.borrow'

/**
 * Button `Borrow`, or `Not Available` (R-LOAN-1, R-LOAN-2), with one sentence of explanation. A refusal by the rules is
 * shown before the button is pressed; if students may borrow only at the desk, their card is offered instead.
 */
export function Borrow({ book, user }: { book: BookDetail; user: User | null }) {
  const visitor = user === null
  const borrow = useAction(borrowBook, {
    done: (loan) =>
      t(book.location === '' ? 'books.detail.borrowed' : 'books.detail.borrowedFrom', {
        title: quoted(book.title),
        day: loan.returnDate,
        place: book.location,
      }),
  })
  const [asking, { open: ask, close }] = useDisclosure()
  const reasonId = useId()
  const navigate = useNavigate()
  const { pathname, search } = useLocation()
  const refusal = useRef<HTMLDivElement>(null)
  const failed = borrow.error !== null
  const { own, free, offered, waiting, fillable } = book.reservation
  const isKept = own?.state === 'ready'
  // Copies on the shelf may be promised to waiting readers (R-HOLD-3).
  const promised = !visitor && book.noOfBooks > 0 && free === 0
  // `Reserve` says that no copy is left, or the reader's own hold does.
  const isGone = !visitor && !fillable && book.noOfBooks === 0 && book.status !== 'Available'
  const { data } = useQuery({ ...myLoansQuery, enabled: !visitor })
  // The reader's loan of this book with the earliest due date.
  const [loan] = (data?.loans ?? [])
    .filter(({ bookId }) => bookId === book.id)
    .toSorted((one, other) => (one.returnDate < other.returnDate ? -1 : 1))

  // The pressed button may have become disabled, so the focus moves to the explanation.
  useEffect(() => {
    if (failed) refusal.current?.focus()
  }, [failed])

  const isAtDesk = book.refusals.some(({ id }) => id === AT_DESK)
  // After a borrow the reloaded book may refuse a second loan; that refusal is not shown.
  const reasons = borrow.pending || borrow.succeeded ? [] : book.refusals

  async function begin() {
    const { ok } = await borrow.run(book.id)
    if (ok) await navigate(paths.studentHome())
  }

  return (
    <>
      {loan && !borrow.succeeded && (
        <p className={classes.yours} data-overdue={loan.overdueDays > 0 || undefined}>
          {rich(yoursOf(loan), {
            day: loan.returnDate,
            fine: loan.fine,
            link: (words) => <Link to={paths.profile()}>{words}</Link>,
          })}
        </p>
      )}
      {!isKept && (book.status !== 'Available' || promised) ? (
        // Smaller than `Reserve` below, which can be pressed.
        <Button size="sm" disabled className={classes.closed}>
          {t('books.detail.notAvailable')}
        </Button>
      ) : visitor ? (
        <Button size="md" component={Link} to={paths.login(pathname + search)}>
          {t('books.detail.borrow')}
        </Button>
      ) : isAtDesk ? (
        <div className={classes.atDesk}>
          <Store />
          <p>{t('books.detail.atDesk', { place: book.location || t('books.detail.locationUnknown') })}</p>
          {user && <MyCard user={user} />}
        </div>
      ) : (
        // Shows as busy until the home screen replaces it.
        <Button
          size="md"
          variant={loan ? 'default' : 'filled'}
          loading={borrow.pending || borrow.succeeded}
          disabled={reasons.length > 0}
          aria-describedby={reasons.length > 0 ? reasonId : undefined}
          onClick={loan ? ask : () => void begin()}
        >
          {t('books.detail.borrow')}
        </Button>
      )}
      {reasons.length > 0 && !isAtDesk && (
        <p id={reasonId} className={classes.waiting}>
          {reasonsText(reasons)}
        </p>
      )}
      {!isKept && !isGone && <Availability book={book} />}
      {waiting > 0 && own === null && !offered && <p className={classes.waiting}>{t('holds.waiting', { waiting })}</p>}
      {!visitor && (
        <div className={classes.reserve} data-offered={own === null || undefined}>
          <Reserve book={book} />
        </div>
      )}
      {failed && (
        <Alert ref={refusal} color="red" role="alert" tabIndex={-1} w="100%">
          {messageOf(borrow.error)}
        </Alert>
      )}
      <ConfirmModal
        opened={asking}
        title={t('books.detail.second')}
        confirm={t('books.detail.secondConfirm')}
        onConfirm={() => {
          close()
          void begin()
        }}
        onClose={close}
      >
        {t('books.detail.secondWhy', { title: quoted(book.title) })}
      </ConfirmModal>
    </>
  )
}
