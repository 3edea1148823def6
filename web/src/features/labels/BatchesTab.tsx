import { Anchor } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { configQuery } from '../../api/config'
import { labelBatchesQuery } from '../../api/labels'
import type { LabelBatch } from '../../api/types'
import { momentText, numberText } from '../../lib/format'
import { t } from '../../lib/messages'
import { EmptyState } from '../../ui/EmptyState'
import { ListState } from '../../ui/ListState'
import { ResponsiveTable } from '../../ui/ResponsiveTable'
import { ShowMore } from '../../ui/ShowMore'

/** Printed batches, newest first; each can be printed again. */
export function BatchesTab() {
  const query = useInfiniteQuery(labelBatchesQuery)
  const timeZone = useQuery(configQuery).data?.timeZone
  const batches = query.data?.pages.flatMap((page) => page.batches)
  return (
    <ListState query={{ ...query, data: timeZone ? batches : undefined }} lines={4}>
      {(found) =>
        found.length === 0 ? (
          <EmptyState message={t('labels.batch.none')} />
        ) : (
          <>
            <ResponsiveTable<LabelBatch>
              label={t('labels.tab.batches')}
              dense
              rows={found}
              keyOf={({ id }) => id}
              columns={[
                {
                  title: t('labels.batch.range'),
                  cell: ({ first, last }) => (
                    <span className="tabular" dir="auto">
                      {first === last ? first : t('labels.batch.fromTo', { first, last })}
                    </span>
                  ),
                },
                { title: t('labels.batch.count'), align: 'end', cell: ({ count }) => numberText(count) },
                { title: t('labels.sheet.label'), cell: ({ sheet }) => <span dir="auto">{sheet}</span> },
                {
                  title: t('labels.batch.at'),
                  cell: ({ at }) => (
                    <time dateTime={at} className="tabular">
                      {momentText(at, timeZone)}
                    </time>
                  ),
                },
                { title: t('labels.batch.by'), cell: ({ by }) => <span dir="auto">{by}</span> },
                {
                  title: t('labels.batch.actions'),
                  bare: true,
                  cell: ({ id, first, last }) => (
                    <Anchor
                      component={Link}
                      to={{ search: `batch=${id}` }}
                      fz="inherit"
                      aria-label={t('labels.batch.againNamed', { first, last })}
                    >
                      {t('labels.batch.again')}
                    </Anchor>
                  ),
                },
              ]}
            />
            <ShowMore query={query} label={t('labels.batch.more')} />
          </>
        )
      }
    </ListState>
  )
}
