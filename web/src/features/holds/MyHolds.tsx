import { Anchor, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import { Link } from 'react-router'
import { useIsOffline } from '../../api/connection'
import { myHoldsQuery } from '../../api/holds'
import type { Hold } from '../../api/types'
import { t } from '../../lib/messages'
import { paths } from '../../screens'
import { DateText } from '../../ui/Facts'
import { ListState } from '../../ui/ListState'
import { ResponsiveTable } from '../../ui/ResponsiveTable'
import { CoveredTitle } from '../../ui/SmallCover'
import { CancelHold } from './CancelHold'
import classes from './Holds.module.css'
import { holdText } from './holdText'

/** A reader's own holds and their state (R-HOLD-1); renders nothing if there are none. */
export function MyHolds() {
  const query = useQuery(myHoldsQuery)
  const isOffline = useIsOffline()
  const heading = useRef<HTMLHeadingElement>(null)
  if (query.data && query.data.holds.length === 0 && query.data.ended.length === 0) return null
  return (
    <section className={classes.part} aria-labelledby="my-holds">
      <Title order={2} id="my-holds" tabIndex={-1} ref={heading}>
        {t('holds.mine.title')}
      </Title>
      {query.isError && isOffline ? (
        <p className={classes.hint}>{t('holds.mine.offline')}</p>
      ) : (
        <ListState query={query} lines={2}>
          {({ holds, ended }) => (
            <>
              {holds.length === 0 ? (
                <p className={classes.hint}>{t('holds.mine.none')}</p>
              ) : (
                <ResponsiveTable
                  label={t('holds.mine.title')}
                  cardsUpTo="47.99em"
                  rows={holds}
                  keyOf={(hold) => hold.id}
                  columns={[
                    {
                      title: t('loans.column.book'),
                      cell: (hold) => (
                        <CoveredTitle id={hold.bookId}>
                          <BookLink hold={hold} />
                        </CoveredTitle>
                      ),
                    },
                    { title: t('holds.column.state'), bare: true, cell: holdText },
                    {
                      title: t('loans.column.actions'),
                      bare: true,
                      cell: (hold) => (
                        <CancelHold
                          hold={hold}
                          size="compact-sm"
                          h={34}
                          variant="default"
                          whenGone={() => heading.current?.focus()}
                        />
                      ),
                    },
                  ]}
                />
              )}
              <Ended holds={ended.filter(({ state }) => state !== 'fulfilled')} linkTo={paths.studentBookDetail} />
            </>
          )}
        </ListState>
      )}
    </section>
  )
}

function BookLink({ hold }: { hold: Hold }) {
  return (
    <Anchor
      component={Link}
      to={paths.studentBookDetail(hold.bookId)}
      underline="hover"
      c="inherit"
      dir="auto"
      className={classes.title}
    >
      {hold.title}
    </Anchor>
  )
}

/** Ended holds, collapsed because they are rarely needed. */
export function Ended({ holds, linkTo }: { holds: readonly Hold[]; linkTo: (bookId: number) => string }) {
  if (holds.length === 0) return null
  return (
    <details>
      <summary>{t('holds.endedCount', { count: holds.length })}</summary>
      <ul className={classes.ended}>
        {holds.map((hold) => (
          <li key={hold.id}>
            <Anchor component={Link} to={linkTo(hold.bookId)} underline="hover" c="inherit" dir="auto">
              {hold.title}
            </Anchor>
            <small>
              {holdText(hold)} · {t('holds.since')} <DateText day={hold.placedAt} />
            </small>
          </li>
        ))}
      </ul>
    </details>
  )
}
