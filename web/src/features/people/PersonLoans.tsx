import { Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { personLoansQuery } from '../../api/people'
import type { NamedLoan, Loan, Person } from '../../api/types'
import { t } from '../../lib/messages'
import { DateText, Money } from '../../ui/Facts'
import { ListState } from '../../ui/ListState'
import { ResponsiveTable } from '../../ui/ResponsiveTable'
import { useQuestion } from '../../ui/useQuestion'
import {
  DueDateButton,
  DueDateDialog,
  ExtendAnyway,
  Fine,
  LoanButton,
  LostButton,
  ReturnDate,
  ReturnQuestion,
  useLoanActions,
  useRowFocus,
  type Asked,
  type Refused,
} from '../loans'
import { DeclareLost } from '../money'
import classes from './PersonScreen.module.css'
import { BookLink } from '../../ui/BookLink'

/** Open loans of a person with their fines, and buttons to return and extend them. */
export function PersonLoans({ person }: { person: Person }) {
  const query = useQuery(personLoansQuery(person.uid))
  const heading = useRef<HTMLHeadingElement>(null)
  return (
    <section className={classes.part} aria-labelledby="out">
      <div className={classes.head}>
        <Title order={2} id="out" tabIndex={-1} ref={heading}>
          {t('people.out.title', { count: person.openLoans })}
        </Title>
        {person.owes > 0 && (
          <span className={classes.owes}>
            {t('people.out.owes')} <Money amount={person.owes} />
          </span>
        )}
      </div>
      <ListState query={query} lines={3}>
        {({ loans, today }) => (
          <Loans person={person} loans={loans} today={today} whenEmpty={() => heading.current?.focus()} />
        )}
      </ListState>
    </section>
  )
}

type LoansProps = { person: Person; loans: readonly Loan[]; today: string; whenEmpty: () => void }

function Loans({ person, loans, today, whenEmpty }: LoansProps) {
  const rows = useRef<HTMLDivElement>(null)
  const [refused, setRefused] = useState<Refused | null>(null)
  const [lost, setLost] = useState<NamedLoan | null>(null)
  const [dated, setDated] = useState<Loan | null>(null)
  const { pending, run } = useLoanActions(setRefused)
  const keepPlace = useRowFocus(rows, pending, whenEmpty)
  const question = useQuestion<Asked>()
  const named = (loan: Loan): NamedLoan => ({
    ...loan,
    userName: person.name,
    rollNumber: person.rollNumber ?? '',
    batch: person.batch ?? '',
  })

  // Outside the rows: the dialog still offers the payment after its row is gone.
  const declare = lost && <DeclareLost key="declare" loan={lost} onClose={() => setLost(null)} />
  if (loans.length === 0) {
    return (
      <div>
        <p key="none">{t('people.out.none')}</p>
        {declare}
      </div>
    )
  }
  return (
    <div ref={rows}>
      <ResponsiveTable
        label={t('people.out.table')}
        cardsUpTo="62em"
        rows={loans}
        keyOf={(loan) => loan.id}
        columns={[
          {
            title: t('loans.column.book'),
            cell: (loan) => <BookLink id={loan.bookId} title={loan.title} />,
          },
          { title: t('copies.column.barcode'), cell: (loan) => <span className="tabular">{loan.barcode}</span> },
          { title: t('loans.column.entry'), cell: (loan) => <DateText day={loan.EntryDate} /> },
          { title: t('loans.column.return'), cell: (loan) => <ReturnDate loan={loan} today={today} /> },
          { title: t('loans.column.fine'), align: 'end', cell: (loan) => <Fine amount={loan.fine} /> },
          {
            title: t('loans.column.actions'),
            bare: true,
            cell: (loan) => {
              const shared = { loan, pending: pending.get(loan.id) }
              const ask = (by: Asked['by']) => question.ask({ loan: named(loan), by })
              return (
                <div className={classes.actions}>
                  {!loan.titleDeleted && (
                    <LoanButton {...shared} action="restock" variant="default" onPress={() => ask('restock')} />
                  )}
                  <LoanButton {...shared} action="return" onPress={() => ask('return')} />
                  <LoanButton
                    {...shared}
                    action="extend"
                    onPress={() => {
                      keepPlace(loan.id, 'extend')
                      void run(loan, 'extend')
                    }}
                  />
                  <DueDateButton title={loan.title} of={person.name} onPress={() => setDated(loan)} />
                  <LostButton title={loan.title} of={person.name} onPress={() => setLost(named(loan))} />
                </div>
              )
            },
          },
        ]}
      />
      <ReturnQuestion
        question={question}
        onAnswer={({ loan, by }, answer) => {
          keepPlace(loan.id, by)
          void run(loan, answer)
        }}
        onLost={setLost}
      />
      {declare}
      {dated && <DueDateDialog loan={dated} onClose={() => setDated(null)} />}
      {refused && <ExtendAnyway refused={refused} onClose={() => setRefused(null)} />}
    </div>
  )
}
