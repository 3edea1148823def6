import { Anchor } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { configQuery } from '../../api/config'
import { closingsQuery } from '../../api/till'
import type { Closing } from '../../api/types'
import { momentText } from '../../lib/format'
import { t } from '../../lib/messages'
import { paths } from '../../screens'
import { EmptyState } from '../../ui/EmptyState'
import { Money } from '../../ui/Facts'
import { ListState } from '../../ui/ListState'
import { PageHeader } from '../../ui/PageHeader'
import { ResponsiveTable } from '../../ui/ResponsiveTable'
import { ShowMore } from '../../ui/ShowMore'
import { differenceText } from './differenceText'
import { sumOf } from './TillFacts'

/** Closings of the till, newest first. */
export function ClosingList() {
  const query = useInfiniteQuery(closingsQuery)
  const config = useQuery(configQuery)
  const closings = query.data?.pages.flatMap((page) => page.closings)
  const timeZone = config.data?.timeZone
  return (
    <>
      <PageHeader title={t('money.closings.title')} />
      <ListState query={{ ...query, data: timeZone ? closings : undefined }} lines={4}>
        {(found) =>
          found.length === 0 ? (
            <EmptyState message={t('money.closings.none')} />
          ) : (
            <>
              <ResponsiveTable<Closing>
                label={t('money.closings.title')}
                dense
                rows={found}
                keyOf={({ number }) => number}
                columns={[
                  {
                    title: t('money.closings.number'),
                    cell: ({ number }) => (
                      <Anchor component={Link} to={paths.closing(number)} fz="inherit">
                        {t('money.closing.title', { number })}
                      </Anchor>
                    ),
                  },
                  {
                    title: t('money.account.day'),
                    cell: ({ at }) => (
                      <time dateTime={at} className="tabular">
                        {momentText(at, timeZone)}
                      </time>
                    ),
                  },
                  { title: t('money.lines.by'), cell: ({ by }) => <span dir="auto">{by}</span> },
                  {
                    title: t('money.close.expected'),
                    align: 'end',
                    cell: ({ opening, expected }) => <Money amount={sumOf(opening, expected)} />,
                  },
                  { title: t('money.close.counted'), align: 'end', cell: ({ counted }) => <Money amount={counted} /> },
                  {
                    title: t('money.close.difference'),
                    align: 'end',
                    cell: ({ difference }) => differenceText(difference),
                  },
                ]}
              />
              <ShowMore query={query} label={t('money.closings.more')} />
            </>
          )
        }
      </ListState>
    </>
  )
}
