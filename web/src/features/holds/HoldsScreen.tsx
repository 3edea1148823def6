import { Anchor, Button, Title } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useRef, type ReactNode } from 'react'
import { Link } from 'react-router'
import { useMay } from '../../api/account'
import { useAction } from '../../api/action'
import { moveCopy, unseenQuery } from '../../api/copies'
import { readyHoldsQuery, wantedQuery } from '../../api/holds'
import type { Copy } from '../../api/types'
import { numberText } from '../../lib/format'
import { t } from '../../lib/messages'
import { paths } from '../../screens'
import { CsvLink } from '../../ui/CsvLink'
import { EmptyState } from '../../ui/EmptyState'
import { DateText } from '../../ui/Facts'
import { ListState } from '../../ui/ListState'
import { PageHeader } from '../../ui/PageHeader'
import { ResponsiveTable } from '../../ui/ResponsiveTable'
import { ShowMore } from '../../ui/ShowMore'
import { CancelHold } from './CancelHold'
import classes from './Holds.module.css'
import { Reader } from './LinePanel'
import { PrintSlip } from './PrintSlip'

/** Kept copies with their last day, reported returns, and wanted titles (R-HOLD-4). */
export default function HoldsScreen() {
  const may = useMay('desk')
  return (
    <>
      <PageHeader title={t('holds.title')} actions={may && <CsvLink list="holds">{t('holds.csv')}</CsvLink>} />
      <Ready />
      <Unseen />
      <Wanted />
    </>
  )
}

/** Copies on the hold shelf, the first to expire at the top. */
function Ready() {
  const query = useInfiniteQuery(readyHoldsQuery)
  const heading = useRef<HTMLHeadingElement>(null)
  const holds = query.data?.pages.flatMap((page) => page.holds) ?? []
  const today = query.data?.pages[0]?.today ?? ''
  return (
    <section aria-labelledby="ready">
      <Title order={2} id="ready" tabIndex={-1} ref={heading}>
        {t('holds.ready.title')}
      </Title>
      <ListState query={query} lines={3}>
        {() =>
          holds.length === 0 ? (
            <EmptyState message={t('holds.ready.none')} />
          ) : (
            <>
              <ResponsiveTable
                label={t('holds.ready.title')}
                cardsUpTo="62em"
                rows={holds}
                keyOf={(hold) => hold.id}
                columns={[
                  { title: t('holds.column.reader'), cell: (hold) => <Reader hold={hold} /> },
                  { title: t('loans.column.book'), cell: (hold) => <BookLink of={hold} /> },
                  {
                    title: t('copies.column.barcode'),
                    cell: (hold) => (
                      <span className="tabular" dir="auto">
                        {hold.barcode}
                      </span>
                    ),
                  },
                  { title: t('holds.column.until'), cell: (hold) => <Until day={hold.readyUntil} today={today} /> },
                  {
                    title: t('loans.column.actions'),
                    bare: true,
                    cell: (hold) => (
                      <div className={classes.actions}>
                        <PrintSlip hold={hold} />
                        <CancelHold
                          hold={hold}
                          named
                          size="compact-sm"
                          h={34}
                          variant="subtle"
                          whenGone={() => heading.current?.focus()}
                        />
                      </div>
                    ),
                  },
                ]}
              />
              <ShowMore query={query} label={t('holds.more')} />
            </>
          )
        }
      </ListState>
    </section>
  )
}

/** Last day of a kept copy, marked if it is today or past. */
function Until({ day, today }: { day: string | null; today: string }): ReactNode {
  if (day === null) return null
  if (day > today) return <DateText day={day} />
  return (
    <span className={classes.late}>
      <DateText day={day} /> {day === today ? t('holds.ready.today') : t('holds.ready.past')}
    </span>
  )
}

function BookLink({ of: { bookId, title } }: { of: { bookId: number; title: string } }) {
  return (
    <Anchor
      component={Link}
      to={paths.bookDetail(bookId)}
      underline="hover"
      c="inherit"
      fz="inherit"
      dir="auto"
      className={classes.title}
    >
      {title}
    </Anchor>
  )
}

/** Reported returns (R-HOLD-2): a librarian looks for each copy, which then goes to the next reader in the queue. */
function Unseen() {
  const query = useInfiniteQuery(unseenQuery)
  const heading = useRef<HTMLHeadingElement>(null)
  const copies = query.data?.pages.flatMap((page) => page.copies) ?? []
  if (copies.length === 0 && !query.isError) return null
  return (
    <section className={classes.part} aria-labelledby="unseen">
      <Title order={2} id="unseen" tabIndex={-1} ref={heading}>
        {t('holds.unseen.title')}
      </Title>
      <p className={classes.hint}>{t('holds.unseen.hint')}</p>
      <ListState query={query} lines={2}>
        {() => (
          <>
            <ResponsiveTable
              label={t('holds.unseen.title')}
              rows={copies}
              keyOf={(copy) => copy.id}
              columns={[
                { title: t('loans.column.book'), cell: (copy) => <BookLink of={copy} /> },
                {
                  title: t('copies.column.barcode'),
                  cell: (copy) => (
                    <span className="tabular" dir="auto">
                      {copy.barcode}
                    </span>
                  ),
                },
                {
                  title: t('loans.column.actions'),
                  bare: true,
                  cell: (copy) => <Seen copy={copy} whenGone={() => heading.current?.focus()} />,
                },
              ]}
            />
            <ShowMore query={query} label={t('copies.more')} />
          </>
        )}
      </ListState>
    </section>
  )
}

/** Buttons that report whether the copy was found: a found copy is kept for the next reader, another marked missing. */
function Seen({ copy, whenGone }: { copy: Copy; whenGone: () => void }) {
  const move = useAction(moveCopy, {
    done: ({ barcode, hold, state }) =>
      hold
        ? t('copies.move.kept', { barcode, name: hold.userName, day: hold.readyUntil })
        : t('copies.move.done', { barcode, state: t(`copies.state.${state}`) }),
    failed: (reason) => t('copies.move.failed', { reason }),
  })

  async function run(state: 'on-shelf' | 'missing') {
    const { refreshed } = await move.run({ id: copy.id, state })
    await refreshed
    whenGone()
  }

  return (
    <div className={classes.actions}>
      <Button
        variant="default"
        size="compact-sm"
        h={34}
        loading={move.pending}
        aria-label={t('holds.unseen.hereNamed', { barcode: copy.barcode })}
        onClick={() => void run('on-shelf')}
      >
        {t('holds.unseen.here')}
      </Button>
      <Button
        variant="subtle"
        size="compact-sm"
        h={34}
        disabled={move.pending}
        aria-label={t('holds.unseen.missingNamed', { barcode: copy.barcode })}
        onClick={() => void run('missing')}
      >
        {t('holds.unseen.missing')}
      </Button>
    </div>
  )
}

/** Titles with waiting readers, longest queues first. */
function Wanted() {
  const query = useInfiniteQuery(wantedQuery)
  const titles = query.data?.pages.flatMap((page) => page.titles) ?? []
  return (
    <section className={classes.part} aria-labelledby="wanted">
      <Title order={2} id="wanted">
        {t('holds.wanted.title')}
      </Title>
      <ListState query={query} lines={3}>
        {() =>
          titles.length === 0 ? (
            <EmptyState message={t('holds.wanted.none')} />
          ) : (
            <>
              <ResponsiveTable
                label={t('holds.wanted.title')}
                cardsUpTo="40em"
                rows={titles}
                keyOf={(title) => title.bookId}
                columns={[
                  { title: t('loans.column.book'), cell: (title) => <BookLink of={title} /> },
                  { title: t('holds.column.author'), cell: (title) => <span dir="auto">{title.author}</span> },
                  {
                    title: t('holds.column.waiting'),
                    align: 'end',
                    cell: (title) => <span className="tabular">{numberText(title.waiting)}</span>,
                  },
                  {
                    title: t('holds.column.copies'),
                    align: 'end',
                    cell: (title) => <span className="tabular">{numberText(title.copies)}</span>,
                  },
                  {
                    title: t('holds.column.backBy'),
                    cell: (title) =>
                      title.fillable ? (
                        title.backBy && <DateText day={title.backBy} />
                      ) : (
                        <span className={classes.late}>{t('holds.unfillable')}</span>
                      ),
                  },
                ]}
              />
              <ShowMore query={query} label={t('holds.wanted.more')} />
            </>
          )
        }
      </ListState>
    </section>
  )
}
