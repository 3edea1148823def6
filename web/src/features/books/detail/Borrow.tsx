import { Alert, Button } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { Link, useLocation, useNavigate } from 'react-router'
import { useAction } from '../../../api/action'
import { borrowBook } from '../../../api/loans'
import { messageOf } from '../../../lib/problem'
import type { BookDetail } from '../../../api/types'
import { paths } from '../../../lib/paths'
import { quoted } from '../../../lib/format'
import { t } from '../../../lib/messages'

/** `Borrow`, or `Not Available` where there is nothing to borrow (R-LOAN-1, R-LOAN-2). */
export function Borrow({ book, visitor }: { book: BookDetail; visitor: boolean }) {
  const borrow = useAction(borrowBook, {
    done: (loan) => t('books.borrow.done', { title: quoted(book.title), day: loan.returnDate }),
  })
  const navigate = useNavigate()
  const { pathname, search } = useLocation()
  const refusal = useRef<HTMLDivElement>(null)
  const failed = borrow.error !== null

  // The button may have just become unusable, so the keyboard stays with what is said about it.
  useEffect(() => {
    if (failed) refusal.current?.focus()
  }, [failed])

  async function begin() {
    const { ok } = await borrow.run(book.id)
    if (ok) await navigate(paths.studentHome())
  }

  return (
    <>
      {book.status !== 'Available' ? (
        <Button size="md" disabled>
          {t('books.borrow.not')}
        </Button>
      ) : visitor ? (
        <Button size="md" component={Link} to={paths.login(pathname + search)}>
          {t('books.borrow.do')}
        </Button>
      ) : (
        // It stays busy until the home has taken its place.
        <Button size="md" loading={borrow.pending || borrow.succeeded} onClick={() => void begin()}>
          {t('books.borrow.do')}
        </Button>
      )}
      {failed && (
        <Alert ref={refusal} color="red" role="alert" tabIndex={-1} w="100%">
          {messageOf(borrow.error)}
        </Alert>
      )}
    </>
  )
}
