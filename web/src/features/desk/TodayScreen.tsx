import { Button, NativeSelect } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Printer } from 'lucide-react'
import { Link } from 'react-router'
import { configQuery, useLibraryName } from '../../api/config'
import { todayQuery, type TodayFilter } from '../../api/desk'
import type { DeskToday } from '../../api/types'
import { dayText, numberText } from '../../lib/format'
import { useAddressFilter } from '../../lib/addressFilter'
import { t } from '../../lib/messages'
import { paths } from '../../screens'
import { EmptyState } from '../../ui/EmptyState'
import { Money } from '../../ui/Facts'
import { ListState } from '../../ui/ListState'
import { PageHeader } from '../../ui/PageHeader'
import { ShowMore } from '../../ui/ShowMore'
import { ChangeItem } from '../activity'
import { CloseDay } from '../money'
import classes from './Today.module.css'

/** Kinds of changes made at a desk. */
const ACTIONS = [
  'lent',
  'returned',
  'renewed',
  'fine-charged',
  'charged',
  'paid',
  'waived',
  'refunded',
  'charge-reversed',
  'payment-reversed',
  'till-closed',
  'declared-lost',
  'copy-moved',
  'hold-placed',
  'undone',
] as const

const filterIn = (params: URLSearchParams): TodayFilter => {
  const action = ACTIONS.find((one) => one === params.get('action'))
  return { whose: params.get('whose') === 'everyone' ? 'everyone' : 'mine', ...(action && { action }) }
}

/** Lists today's changes at the desk, for undo and for the till (R-DESK-12). */
export default function TodayScreen() {
  const [filter, set] = useAddressFilter(filterIn)
  const query = useInfiniteQuery(todayQuery(filter))
  const config = useQuery(configQuery)
  const changes = query.data?.pages.flatMap((page) => page.changes)
  const totals = query.data?.pages[0]

  return (
    <div className={classes.screen}>
      <PageHeader
        title={t('desk.today.title')}
        actions={
          <div className={classes.buttons}>
            <Button component={Link} to={paths.desk()} variant="default">
              {t('desk.today.back')}
            </Button>
            <Button component={Link} to={paths.closings()} variant="default">
              {t('money.closings.title')}
            </Button>
            <Button variant="default" leftSection={<Printer data-size="18" aria-hidden />} onClick={() => print()}>
              {t('desk.today.print')}
            </Button>
            <CloseDay />
          </div>
        }
      />
      <div className={classes.filters}>
        <NativeSelect
          label={t('desk.today.whose')}
          value={filter.whose}
          data={[
            { value: 'mine', label: t('desk.today.mine') },
            { value: 'everyone', label: t('desk.today.everyone') },
          ]}
          onChange={(event) => set({ whose: event.currentTarget.value })}
        />
        <NativeSelect
          label={t('activity.kind')}
          value={filter.action ?? ''}
          data={[
            { value: '', label: t('activity.everything') },
            ...ACTIONS.map((action) => ({ value: action, label: t(`activity.action.${action}`) })),
          ]}
          onChange={(event) => set({ action: event.currentTarget.value })}
        />
      </div>
      <ListState
        query={{
          data: changes && totals && config.data ? { changes, totals, timeZone: config.data.timeZone } : undefined,
          isError: query.isError || (config.isError && !config.data),
          isFetchNextPageError: query.isFetchNextPageError,
          error: query.error ?? config.error,
          refetch: () => Promise.all([query.refetch(), config.refetch()]),
        }}
        lines={6}
      >
        {(found) => (
          <div data-stale={query.isPlaceholderData || undefined} aria-busy={query.isFetching}>
            <Totals of={found.totals} />
            {found.changes.length === 0 ? (
              <EmptyState message={t('desk.today.none')} />
            ) : (
              <ol className={classes.changes} aria-label={t('desk.today.list')}>
                {found.changes.map((change) => (
                  <ChangeItem key={change.id} change={change} timeZone={found.timeZone} />
                ))}
              </ol>
            )}
            <ShowMore query={query} label={t('activity.more')} />
          </div>
        )}
      </ListState>
    </div>
  )
}

/** Totals of the day, and the expected cash. */
function Totals({ of }: { of: DeskToday }) {
  const library = useLibraryName()
  const counts = [
    ['lent', of.lent],
    ['returned', of.returned],
    ['renewed', of.renewed],
  ] as const
  return (
    <section aria-label={t('desk.today.totals')} className={classes.totals}>
      <p className={classes.day}>
        {library && (
          <span className={classes.onPaper} dir="auto">
            {library} ·{' '}
          </span>
        )}
        <time dateTime={of.day}>{dayText(of.day)}</time>
      </p>
      <dl className={classes.counts}>
        {counts.map(([name, count]) => (
          <div key={name}>
            <dt>{t(`desk.today.${name}`)}</dt>
            <dd className="tabular">{numberText(count)}</dd>
          </div>
        ))}
        <div>
          <dt>{t('desk.today.taken')}</dt>
          <dd>
            <Money amount={of.taken} />
          </dd>
          {of.takings.map(({ method, payments, amount, paidOut, reversed }) => (
            <dd key={method} className={classes.method}>
              {t('desk.today.method', { method: t(`desk.screen.method.${method}`), count: payments, amount })}
              {paidOut > 0 && ` ${t('desk.today.paidOut', { amount: paidOut })}`}
              {reversed > 0 && ` ${t('desk.today.reversed', { amount: reversed })}`}
            </dd>
          ))}
        </div>
        {of.waived > 0 && (
          <div>
            <dt>{t('desk.today.waived')}</dt>
            <dd>
              <Money amount={of.waived} />
            </dd>
          </div>
        )}
        {of.finesDropped > 0 && (
          <div>
            <dt>{t('desk.today.finesDropped')}</dt>
            <dd>
              <Money amount={of.finesDropped} />
            </dd>
          </div>
        )}
      </dl>
    </section>
  )
}
