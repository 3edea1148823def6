import { Button, Group, NativeSelect, Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { CalendarPlus, Printer } from 'lucide-react'
import { useEffect, useRef, useState, type RefObject, type SubmitEvent } from 'react'
import { Link, Navigate, useNavigate, useSearchParams } from 'react-router'
import { useMay } from '../../api/account'
import { loanListQuery, loansFile, type LoanList, type LoanPage } from '../../api/loans'
import type { AdminLoan, LoanDue, LoanOrder, NamedLoan } from '../../api/types'
import { EmptyState } from '../../ui/EmptyState'
import { DateText } from '../../ui/Facts'
import { focusIsFree, focusSearch } from '../../lib/focus'
import { t } from '../../lib/messages'
import { useParamsNow } from '../../lib/paramsNow'
import { ListState } from '../../ui/ListState'
import { PageHeader } from '../../ui/PageHeader'
import { Pages, pageAddress } from '../../ui/Pages'
import { ResponsiveTable, type Column } from '../../ui/ResponsiveTable'
import { SearchBox, useSearchText } from '../../ui/SearchBox'
import { DeclareLost } from '../money'
import { ClassLists } from './ClassLists'
import { ExtendAnyway } from './ExtendAnyway'
import { addressWith, DUES, listIn, ORDERS } from './listing'
import { LoanButton } from './LoanButton'
import chips from '../../ui/Chips.module.css'
import classes from './LoansScreen.module.css'
import { Fine, ReturnDate } from './LoanStatus'
import { DueDateButton, DueDateDialog } from './DueDate'
import { LostButton } from './LostButton'
import { useQuestion } from '../../ui/useQuestion'
import { ReturnQuestion, type Asked } from './ReturnQuestion'
import { useLoanActions, type LoanAction, type Refused } from './useLoanActions'
import { focusFirstAction, useRowFocus } from './useRowFocus'

/** All open loans (R-FINE-1, R-FINE-2). */
export default function LoansScreen() {
  const [params] = useSearchParams()
  const list = listIn(params, useSearchText())
  const { q } = list
  const cursor = params.get('cursor')
  const query = useQuery(loanListQuery(list, cursor))
  const page = query.data
  const current = page !== undefined && !query.isPlaceholderData
  const rows = useRef<HTMLDivElement>(null)
  const [refused, setRefused] = useState<Refused | null>(null)
  const [lost, setLost] = useState<NamedLoan | null>(null)
  const { pending, run } = useLoanActions(setRefused)
  const keepPlace = useRowFocus(rows, pending, focusSearch)
  const enterFromSearch = useEnterFromSearch(rows, q, current)
  useFocusAfterTurning(rows, cursor, current)

  return (
    <>
      <PageHeader title={t('loans.list.title')} actions={page && page.total > 0 && <Exports list={list} />}>
        {/* Enter in the search focuses the first row. */}
        <form onSubmit={enterFromSearch}>
          <SearchBox label={t('loans.list.search')} placeholder={t('loans.list.searchHint')} />
        </form>
      </PageHeader>
      <div className={classes.line}>
        <nav aria-label={t('loans.show.label')} className={chips.chips}>
          {([null, ...DUES] as const).map((due) => (
            <Link
              key={due}
              to={{ search: addressWith(params, 'due', due) }}
              replace
              aria-current={due === list.due ? 'true' : undefined}
            >
              {page
                ? t(`loans.show.${due ?? 'all'}`, { count: countOf(page, due) })
                : t(`loans.show.name.${due ?? 'all'}`)}
            </Link>
          ))}
        </nav>
        <Text role="status" c="dimmed" size="sm" className={`tabular ${classes.sum}`}>
          {page && sumText(page, q)}
        </Text>
        <OrderSelect order={list.sort} />
        {page && <Pages previous={page.previous} next={page.next} label={t('list.pages.label')} />}
      </div>
      <ListState query={query} lines={8}>
        {({ total, loans, today, previous, next }) =>
          total === 0 ? (
            <EmptyState message={q ? t('loans.list.noMatch', { q }) : t(`loans.none.${list.due ?? 'all'}`)} />
          ) : loans.length === 0 && current ? (
            // The last loan of a later page was just returned, so the first page is shown.
            <Navigate to={{ search: pageAddress(params, null) }} replace />
          ) : (
            <div
              ref={rows}
              className={classes.list}
              data-stale={query.isPlaceholderData || undefined}
              aria-busy={query.isFetching}
            >
              <Loans
                today={today}
                loans={loans}
                pending={pending}
                onLost={setLost}
                onAction={(loan, action, by = action) => {
                  keepPlace(loan.id, by)
                  void run(loan, action)
                }}
              />
              {(previous ?? next) !== null && (
                <div className={classes.below}>
                  <Pages previous={previous} next={next} label={t('list.pages.below')} />
                </div>
              )}
            </div>
          )
        }
      </ListState>
      {refused && <ExtendAnyway refused={refused} onClose={() => setRefused(null)} />}
      {/* Outside the rows: the dialog still offers the payment after its row is gone. */}
      {lost && <DeclareLost loan={lost} onClose={() => setLost(null)} />}
    </>
  )
}

function countOf({ open, overdue, dueToday, dueThisWeek }: LoanPage, due: LoanDue | null): number {
  return due === null ? open : { overdue, today: dueToday, week: dueThisWeek }[due]
}

/** Describes the number of loans in the list, and their fines. */
function sumText({ total, fines }: LoanPage, q: string): string {
  if (total === 0) return ''
  const count = q ? t('loans.list.matches', { total }) : t('loans.list.count', { total })
  return fines > 0 ? t('loans.list.withFines', { count, fines }) : count
}

/** Select for the order of the list; a change leads to the first page. */
function OrderSelect({ order }: { order: LoanOrder }) {
  const paramsNow = useParamsNow()
  const navigate = useNavigate()
  return (
    <NativeSelect
      aria-label={t('loans.order')}
      size="sm"
      value={order}
      data={ORDERS.map((value) => ({ value, label: t(`loans.order.${value}`) }))}
      onChange={(event) =>
        void navigate({ search: addressWith(paramsNow(), 'sort', event.currentTarget.value) }, { replace: true })
      }
    />
  )
}

/** Buttons that print the list, with a page for each class, or download it. */
function Exports({ list }: { list: LoanList }) {
  const [printing, setPrinting] = useState(false)
  const may = useMay('desk')
  return (
    <Group gap="xs">
      {may && (
        <Button component="a" href={loansFile(list)} download variant="default">
          {t('loans.csv')}
        </Button>
      )}
      <Button variant="default" leftSection={<Printer data-size="18" />} onClick={() => setPrinting(true)}>
        {t('loans.print.open')}
      </Button>
      {printing && <ClassLists list={list} onClose={() => setPrinting(false)} />}
    </Group>
  )
}

/** Moves the focus to the rows after paging, because on the last page the pressed link disappears. */
function useFocusAfterTurning(rows: RefObject<HTMLElement | null>, cursor: string | null, current: boolean) {
  const shown = useRef(cursor)
  useEffect(() => {
    if (shown.current === cursor || !current) return
    shown.current = cursor
    if (focusIsFree()) focusFirstAction(rows)
  }, [rows, cursor, current])
}

/** Enter focuses the first row's first action, once the rows for the typed text are loaded. */
function useEnterFromSearch(rows: RefObject<HTMLElement | null>, q: string, current: boolean) {
  const wanted = useRef<string | null>(null)

  useEffect(() => {
    if (wanted.current === null || wanted.current !== q || !current) return
    wanted.current = null
    const typing = document.activeElement instanceof HTMLInputElement
    if (typing) focusFirstAction(rows)
  })

  return (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    const typed = event.currentTarget.querySelector('input')?.value.trim() ?? ''
    if (typed === q && current) focusFirstAction(rows)
    else wanted.current = typed
  }
}

type LoansProps = {
  loans: readonly AdminLoan[]
  today: string
  pending: ReadonlyMap<number, LoanAction>
  /** `by` is the pressed button, if the librarian answered its question with another action. */
  onAction: (loan: NamedLoan, action: LoanAction, by?: LoanAction) => void
  onLost: (loan: NamedLoan) => void
}

/** Window widths up to which person and dates take two lines, or rows are cards that begin with the book. */
const TWO_LINES = '80em'
const CARDS = '56em'
/** Window widths in which an icon for the extension keeps the buttons of a row in one line (L34). */
const TIGHT = '(min-width: 56.01em) and (max-width: 66em)'

function useColumns(today: string, actions: Column<AdminLoan>): readonly [Column<AdminLoan>, ...Column<AdminLoan>[]] {
  const twoLines = useMediaQuery(`(max-width: ${TWO_LINES})`, false, { getInitialValueInEffect: false })
  const cards = useMediaQuery(`(max-width: ${CARDS})`, false, { getInitialValueInEffect: false })

  const name = t('loans.column.name')
  const book = {
    title: t('loans.column.book'),
    cell: (loan: AdminLoan) => (
      <span dir="auto" className={classes.title} title={loan.title}>
        {loan.title}
      </span>
    ),
  }
  const due = (more: { since?: boolean; withFine?: boolean }) => ({
    title: t('loans.column.return'),
    bare: true,
    cell: (loan: AdminLoan) => (
      <ReturnDate loan={loan} today={today} of={loan.userName} reminded={loan.reminded} {...more} />
    ),
  })
  const fine = {
    title: t('loans.column.fine'),
    align: 'end' as const,
    cell: (loan: AdminLoan) => <Fine amount={loan.fine} />,
  }

  if (cards) {
    const person = { title: name, bare: true, cell: (loan: AdminLoan) => <Person loan={loan} /> }
    return [book, person, due({ since: true, withFine: true }), actions]
  }
  if (twoLines) {
    return [{ title: name, cell: (loan) => <Person loan={loan} /> }, book, due({ since: true }), fine, actions]
  }
  return [
    { title: name, cell: (loan) => <span dir="auto">{loan.userName}</span> },
    { title: t('loans.column.rollNumber'), cell: (loan) => <span dir="auto">{loan.rollNumber}</span> },
    {
      title: t('loans.column.batch'),
      cell: (loan) => (
        <span dir="auto" className="tabular">
          {loan.batch}
        </span>
      ),
    },
    book,
    { title: t('loans.column.entry'), cell: (loan) => <DateText day={loan.EntryDate} /> },
    due({}),
    fine,
    actions,
  ]
}

/** Name, roll number and batch: two lines in a table, one on a card. */
function Person({ loan }: { loan: AdminLoan }) {
  return (
    <span className={classes.person}>
      <span dir="auto">{loan.userName}</span>{' '}
      <span dir="auto" className={classes.roll}>
        {loan.rollNumber} · {loan.batch}
      </span>
    </span>
  )
}

function Loans({ loans, today, pending, onAction, onLost }: LoansProps) {
  const question = useQuestion<Asked>()
  const [dated, setDated] = useState<AdminLoan | null>(null)
  const isTight = useMediaQuery(TIGHT, false, { getInitialValueInEffect: false })
  const columns = useColumns(today, {
    title: t('loans.column.actions'),
    bare: true,
    cell: (loan) => {
      const shared = { loan, pending: pending.get(loan.id), of: loan.userName }
      const ask = (by: Asked['by']) => question.ask({ loan, by })
      return (
        <div className={classes.actions}>
          {!loan.titleDeleted && (
            <LoanButton {...shared} action="restock" variant="default" onPress={() => ask('restock')} />
          )}
          <LoanButton {...shared} action="return" onPress={() => ask('return')} />
          <LoanButton
            {...shared}
            {...(isTight && { icon: <CalendarPlus data-size="18" aria-hidden /> })}
            action="extend"
            onPress={() => onAction(loan, 'extend')}
          />
          <DueDateButton title={loan.title} of={loan.userName} onPress={() => setDated(loan)} />
          <LostButton title={loan.title} of={loan.userName} onPress={() => onLost(loan)} />
        </div>
      )
    },
  })

  return (
    <>
      <ResponsiveTable
        label={t('loans.list.table')}
        cardsUpTo={CARDS}
        dense
        rows={loans}
        keyOf={(loan) => loan.id}
        columns={columns}
      />
      <ReturnQuestion
        question={question}
        onAnswer={({ loan, by }, answer) => onAction(loan, answer, by)}
        onLost={onLost}
      />
      {dated && <DueDateDialog loan={dated} onClose={() => setDated(null)} />}
    </>
  )
}
