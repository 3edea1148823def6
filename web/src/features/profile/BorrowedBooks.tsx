import { Anchor, Button, Title } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useId, useRef } from 'react'
import { Link } from 'react-router'
import { configQuery } from '../../api/config'
import { useIsOffline } from '../../api/connection'
import { myLoansQuery } from '../../api/loans'
import type { MyLoan } from '../../api/types'
import { paths } from '../../screens'
import { ConfirmModal } from '../../ui/ConfirmModal'
import { EmptyState } from '../../ui/EmptyState'
import { DateText } from '../../ui/Facts'
import { quoted } from '../../lib/format'
import { t } from '../../lib/messages'
import { reasonsText } from '../../lib/problem'
import { ListState } from '../../ui/ListState'
import { ResponsiveTable, type Column } from '../../ui/ResponsiveTable'
import { CoveredTitle } from '../../ui/SmallCover'
import { useQuestion } from '../../ui/useQuestion'
import { Fine, LoanButton, ReturnDate, useLoanActions, useRowFocus } from '../loans'
import { LoanCard } from './LoanCard'
import classes from './ProfileScreen.module.css'

/** Up to this window width each loan is a card. */
const PHONE = '47.99em'
/** Up to this window width the day of borrowing is left out, so that a loan fits on one line. */
const TABLET = '62em'

/** The student's open loans, with buttons to return and extend them. */
export function BorrowedBooks() {
  const query = useQuery(myLoansQuery)
  const heading = useRef<HTMLHeadingElement>(null)

  return (
    <section className={classes.loans} aria-labelledby="borrowed-books">
      <Title order={2} id="borrowed-books" tabIndex={-1} ref={heading}>
        {t('profile.loans.title')}
      </Title>
      <ListState query={query} lines={3}>
        {({ loans, today }) => <Loans loans={loans} today={today} whenEmpty={() => heading.current?.focus()} />}
      </ListState>
    </section>
  )
}

function Loans({ loans, today, whenEmpty }: { loans: readonly MyLoan[]; today: string; whenEmpty: () => void }) {
  // Until the settings have loaded, both buttons are shown and the server decides.
  const { selfReturn: canReturn = true, selfRenew: canExtend = true } = useQuery(configQuery).data ?? {}
  const { pending, run } = useLoanActions()
  const isOffline = useIsOffline()
  const offlineId = useId()
  const rows = useRef<HTMLDivElement>(null)
  const keepPlace = useRowFocus(rows, pending, whenEmpty)
  const isPhone = useMediaQuery(`(max-width: ${PHONE})`, false, { getInitialValueInEffect: false })
  const isTablet = useMediaQuery(`(max-width: ${TABLET})`, false, { getInitialValueInEffect: false })
  const { about: asked, opened, ask, close } = useQuestion<MyLoan>()

  function start(loan: MyLoan, action: 'return' | 'extend') {
    keepPlace(loan.id, action)
    void run(loan, action)
  }

  if (loans.length === 0) {
    return (
      <EmptyState
        message={t('profile.loans.none')}
        action={
          <Button component={Link} to={paths.studentHome()}>
            {t('profile.loans.find')}
          </Button>
        }
      />
    )
  }

  const buttonsOf = (loan: MyLoan, reason = isOffline ? offlineId : undefined) => {
    const shared = { loan, pending: pending.get(loan.id) }
    // A fine and the settings of the library have sentences of their own.
    const refusal = loan.fine === 0 && canExtend ? reasonsText(loan.refusals) : ''
    const refusalId = refusal === '' ? reason : `not-extended-${loan.id}`
    return (
      <>
        {canReturn && (
          <LoanButton {...shared} action="return" variant="default" refusedBy={reason} onPress={() => ask(loan)} />
        )}
        {canExtend && (
          <LoanButton {...shared} action="extend" refusedBy={refusalId} onPress={() => start(loan, 'extend')} />
        )}
        {refusal !== '' && (
          <p id={refusalId} className={classes.reason}>
            {refusal}
          </p>
        )}
        {!(canReturn && canExtend) && loan.fine === 0 && (
          <p className={classes.reason}>
            {t(
              canReturn
                ? 'profile.loans.extendAtDesk'
                : canExtend
                  ? 'profile.loans.returnAtDesk'
                  : 'profile.loans.bothAtDesk',
            )}
          </p>
        )}
      </>
    )
  }

  const entryDate: Column<MyLoan> = {
    title: t('loans.column.entry'),
    cell: (loan) => <DateText day={loan.EntryDate} />,
  }

  return (
    <div ref={rows}>
      {isOffline && (canReturn || canExtend) && (
        <p id={offlineId} className={classes.reason}>
          {t('profile.loans.offline')}
        </p>
      )}
      {isPhone ? (
        <ul className={classes.cards} aria-label={t('profile.loans.table')}>
          {loans.map((loan) => (
            <LoanCard key={loan.id} loan={loan} today={today} buttons={() => buttonsOf(loan)} />
          ))}
        </ul>
      ) : (
        <ResponsiveTable
          label={t('profile.loans.table')}
          rows={loans}
          cardsUpTo={PHONE}
          keyOf={(loan) => loan.id}
          columns={[
            {
              title: t('loans.column.book'),
              cell: (loan) => (
                <CoveredTitle id={loan.titleDeleted ? null : loan.bookId}>
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
                </CoveredTitle>
              ),
            },
            ...(isTablet ? [] : [entryDate]),
            { title: t('loans.column.return'), cell: (loan) => <ReturnDate loan={loan} today={today} withFine /> },
            { title: t('loans.column.fine'), align: 'end', cell: (loan) => <Fine amount={loan.fine} /> },
            {
              title: t('loans.column.actions'),
              bare: true,
              cell: (loan) => {
                const reason = loan.fine > 0 ? `fined-${loan.id}` : undefined
                return (
                  <div>
                    <div className={classes.actions}>{buttonsOf(loan, reason)}</div>
                    {reason && (
                      <p id={reason} className={classes.reason}>
                        {t('profile.loans.fined', { fine: loan.fine })}
                      </p>
                    )}
                  </div>
                )
              },
            },
          ]}
        />
      )}
      <ConfirmModal
        opened={opened}
        title={t('profile.loans.question')}
        confirm={t('profile.loans.return')}
        routine
        onConfirm={() => {
          if (asked) start(asked, 'return')
          close()
        }}
        onClose={close}
      >
        {t('profile.loans.explain', { title: quoted(asked?.title ?? '') })}
      </ConfirmModal>
    </div>
  )
}
