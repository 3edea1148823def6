import { Button, NativeSelect, TextInput, Title } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useMay } from '../../api/account'
import { configQuery } from '../../api/config'
import { linesFile, linesQuery, totalsQuery, type LineFilter } from '../../api/money'
import type { Booked, Total } from '../../api/types'
import { momentText, numberText } from '../../lib/format'
import { isBackwards, useAddressFilter } from '../../lib/addressFilter'
import { t } from '../../lib/messages'
import { EmptyState } from '../../ui/EmptyState'
import { Money } from '../../ui/Facts'
import { ListState } from '../../ui/ListState'
import { PageHeader } from '../../ui/PageHeader'
import { ResponsiveTable } from '../../ui/ResponsiveTable'
import { ShowMore } from '../../ui/ShowMore'
import { CloseDay } from './CloseDay'
import { Debtors } from './Debtors'
import { moneyColumns, LineDescription } from './LineCells'
import { filterIn } from './filter'
import { KINDS, kindText, METHODS } from './lineText'
import classes from './MoneyScreen.module.css'
import { Named } from './Named'
import { ReverseLine } from './ReverseLine'
import { Takings } from './Takings'

/** Money taken, people with a balance, and totals and lines of a period (R-MONEY-6). */
export default function MoneyScreen() {
  const mayClose = useMay('desk')
  return (
    <>
      <PageHeader title={t('money.title')} actions={mayClose && <CloseDay />} />
      <Takings />
      <Debtors />
      <Period />
    </>
  )
}

function Period() {
  const [filter, set] = useAddressFilter(filterIn)
  const backwards = isBackwards(filter)
  const query = useInfiniteQuery({ ...linesQuery(filter), enabled: !backwards })
  const page = query.data?.pages[0]
  return (
    <section aria-labelledby="lines" className={classes.part}>
      <div className={classes.head}>
        <Title order={2} id="lines">
          {t('money.lines.title')}
        </Title>
        {!backwards && (
          <Button component="a" href={linesFile(filter)} download variant="default">
            {t('money.lines.csv')}
          </Button>
        )}
      </div>
      <div className={classes.filters}>
        <TextInput
          type="date"
          label={t('money.lines.from')}
          value={filter.from ?? page?.from ?? ''}
          onChange={(event) => set({ from: event.currentTarget.value })}
        />
        <TextInput
          type="date"
          label={t('money.lines.to')}
          value={filter.to ?? page?.to ?? ''}
          error={backwards && t('field.endsBeforeItBegins')}
          onChange={(event) => set({ to: event.currentTarget.value })}
        />
        <NativeSelect
          label={t('money.kind')}
          value={filter.kind ?? ''}
          data={[
            { value: '', label: t('money.lines.everything') },
            ...KINDS.map((kind) => ({ value: kind, label: t(`money.line.${kind}`) })),
          ]}
          onChange={(event) => set({ kind: event.currentTarget.value })}
        />
        <NativeSelect
          label={t('desk.screen.method')}
          value={filter.method ?? ''}
          data={[
            { value: '', label: t('money.lines.anyMethod') },
            ...METHODS.map((method) => ({ value: method, label: t(`desk.screen.method.${method}`) })),
          ]}
          onChange={(event) => set({ method: event.currentTarget.value })}
        />
      </div>
      {!backwards && (
        <>
          <Sums period={filter} />
          <Lines filter={filter} />
        </>
      )}
    </section>
  )
}

/** Totals of the period, regardless of the other filters. */
function Sums({ period: { from, to } }: { period: LineFilter }) {
  const query = useQuery(totalsQuery({ ...(from && { from }), ...(to && { to }) }))
  return (
    <ListState query={query} lines={2}>
      {({ totals }) =>
        totals.length > 0 && (
          <div className={classes.totals} aria-busy={query.isFetching}>
            <ResponsiveTable<Total>
              label={t('money.totals.title')}
              cardsUpTo="30em"
              dense
              rows={totals}
              keyOf={({ kind, of }) => `${kind} ${of}`}
              columns={[
                { title: t('money.kind'), cell: (total) => kindText(total) },
                {
                  title: t('money.totals.count'),
                  align: 'end',
                  cell: ({ count }) => <span className="tabular">{numberText(count)}</span>,
                },
                { title: t('money.account.amount'), align: 'end', cell: ({ amount }) => <Money amount={amount} /> },
                {
                  title: t('money.line.reversal'),
                  align: 'end',
                  cell: ({ takenBack }) => (takenBack === 0 ? null : <Money amount={takenBack} />),
                },
                { title: t('money.totals.net'), align: 'end', cell: ({ net }) => <Money amount={net} /> },
              ]}
            />
          </div>
        )
      }
    </ListState>
  )
}

/** Lines of the period, newest first. */
function Lines({ filter }: { filter: LineFilter }) {
  const query = useInfiniteQuery(linesQuery(filter))
  const config = useQuery(configQuery)
  const lines = query.data?.pages.flatMap((page) => page.lines)
  return (
    <ListState
      // The lines wait for the configuration, because their times are in the library's time zone.
      query={{
        data: lines && config.data ? { lines, timeZone: config.data.timeZone } : undefined,
        isError: query.isError || (config.isError && !config.data),
        isFetchNextPageError: query.isFetchNextPageError,
        error: query.error ?? config.error,
        refetch: () => Promise.all([query.refetch(), config.refetch()]),
      }}
      lines={6}
    >
      {(found) =>
        found.lines.length === 0 ? (
          <EmptyState message={t('money.lines.none')} />
        ) : (
          <div className={classes.list} data-stale={query.isPlaceholderData || undefined} aria-busy={query.isFetching}>
            <ResponsiveTable<Booked>
              label={t('money.lines.title')}
              dense
              rows={found.lines}
              keyOf={(line) => line.id}
              columns={[
                {
                  title: t('people.column.name'),
                  cell: ({ userId, userName, rollNumber }) => (
                    <Named uid={userId} name={userName} rollNumber={rollNumber} />
                  ),
                },
                {
                  title: t('money.account.day'),
                  cell: ({ at }) => (
                    <time dateTime={at} className="tabular">
                      {momentText(at, found.timeZone)}
                    </time>
                  ),
                },
                { title: t('money.account.what'), cell: (line) => <LineDescription line={line} withReceipt /> },
                { title: t('money.lines.by'), cell: ({ by }) => <span dir="auto">{by}</span> },
                ...moneyColumns<Booked>(({ userName }) => userName),
                { title: t('money.reverse.column'), bare: true, cell: (line) => <ReverseLine line={line} /> },
              ]}
            />
            <ShowMore query={query} label={t('money.lines.more')} />
          </div>
        )
      }
    </ListState>
  )
}
