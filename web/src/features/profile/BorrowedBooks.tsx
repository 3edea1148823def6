import { Alert, Anchor, Button, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { Link } from 'react-router'
import { myLoansQuery } from '../../api/loans'
import { messageOf } from '../../lib/problem'
import type { Loan } from '../../api/types'
import { paths } from '../../lib/paths'
import { ConfirmModal } from '../../ui/ConfirmModal'
import { EmptyState } from '../../ui/EmptyState'
import { ErrorState } from '../../ui/ErrorState'
import { DateText } from '../../ui/Facts'
import { quoted, moneyText } from '../../lib/format'
import { ResponsiveTable } from '../../ui/ResponsiveTable'
import { Fine, LoanButton, ReturnDate, TableSkeleton, useLoanActions, useRowFocus } from '../loans'
import classes from './ProfileScreen.module.css'

/** What the student has at home, and what can be done about it. */
export function BorrowedBooks() {
  const query = useQuery(myLoansQuery)
  const heading = useRef<HTMLHeadingElement>(null)

  return (
    <section className={classes.loans} aria-labelledby="borrowed-books">
      <Title order={2} id="borrowed-books" tabIndex={-1} ref={heading}>
        Borrowed Books
      </Title>
      {query.isError && query.data && (
        <Alert color="red" role="alert" mb="md">
          The list may be out of date. {messageOf(query.error)}
        </Alert>
      )}
      {query.data ? (
        <Loans loans={query.data.loans} today={query.data.today} whenEmpty={() => heading.current?.focus()} />
      ) : query.isError ? (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      ) : (
        <TableSkeleton rows={3} />
      )}
    </section>
  )
}

function Loans({ loans, today, whenEmpty }: { loans: readonly Loan[]; today: string; whenEmpty: () => void }) {
  const { pending, run } = useLoanActions()
  const keepPlace = useRowFocus(pending, whenEmpty)
  const [asking, setAsking] = useState(false)
  // Kept while the question fades out, so that it still says what it asked.
  const [asked, setAsked] = useState<Loan | null>(null)

  function start(loan: Loan, action: 'return' | 'extend') {
    keepPlace(loan.id, action)
    void run(loan.id, action)
  }

  if (loans.length === 0) {
    return (
      <EmptyState
        message="You have no borrowed books."
        action={
          <Button component={Link} to={paths.studentHome()}>
            Find a book
          </Button>
        }
      />
    )
  }

  return (
    <>
      <ResponsiveTable
        label="Borrowed books"
        rows={loans}
        keyOf={(loan) => loan.id}
        columns={[
          {
            title: 'Book',
            cell: (loan) => (
              <Anchor
                component={Link}
                to={paths.studentBookDetail(loan.bookId)}
                underline="hover"
                c="inherit"
                dir="auto"
                className={classes.title}
              >
                {loan.title}
              </Anchor>
            ),
          },
          { title: 'Entry date', cell: (loan) => <DateText day={loan.EntryDate} /> },
          { title: 'Return date', cell: (loan) => <ReturnDate loan={loan} today={today} withFine /> },
          { title: 'Fine', align: 'end', cell: (loan) => <Fine amount={loan.fine} /> },
          {
            title: 'Actions',
            controls: true,
            cell: (loan) => {
              const reason = loan.fine > 0 ? `fined-${loan.id}` : undefined
              const shared = { loan, pending: pending.get(loan.id), refusedBy: reason }
              return (
                <div>
                  <div className={classes.actions}>
                    <LoanButton
                      {...shared}
                      action="return"
                      variant="default"
                      onPress={() => {
                        setAsked(loan)
                        setAsking(true)
                      }}
                    />
                    <LoanButton {...shared} action="extend" onPress={() => start(loan, 'extend')} />
                  </div>
                  {reason && (
                    <p id={reason} className={classes.reason}>
                      Please bring this book to the library desk, where the fine of {moneyText(loan.fine)} is settled.
                    </p>
                  )}
                </div>
              )
            },
          },
        ]}
      />
      <ConfirmModal
        opened={asking}
        title="Return this book?"
        confirm="Return"
        routine
        onConfirm={() => {
          if (asked) start(asked, 'return')
          setAsking(false)
        }}
        onClose={() => setAsking(false)}
      >
        {quoted(asked?.title ?? '')} leaves your borrowed books and is back in the library.
      </ConfirmModal>
    </>
  )
}
