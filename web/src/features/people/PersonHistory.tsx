import { Anchor, Title } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { changesQuery } from '../../api/changes'
import { endedLoansQuery } from '../../api/people'
import type { Change, Person } from '../../api/types'
import { momentText } from '../../lib/format'
import { translateMessage, t } from '../../lib/messages'
import { paths } from '../../screens'
import { DateText } from '../../ui/Facts'
import { ListState } from '../../ui/ListState'
import { ResponsiveTable } from '../../ui/ResponsiveTable'
import { ShowMore } from '../../ui/ShowMore'
import { UndoChange } from '../activity'
import { Fine } from '../loans'
import classes from './PersonScreen.module.css'
import { BookLink } from '../../ui/BookLink'

/** Ended loans and changes of a person. */
export function PersonHistory({ person, timeZone }: { person: Person; timeZone: string }) {
  return (
    <>
      <Ended uid={person.uid} />
      <Changes uid={person.uid} timeZone={timeZone} />
    </>
  )
}

function Ended({ uid }: { uid: number }) {
  const query = useInfiniteQuery(endedLoansQuery(uid))
  return (
    <section className={classes.part} aria-labelledby="ended">
      <div className={classes.head}>
        <Title order={2} id="ended">
          {t('people.ended.title')}
        </Title>
      </div>
      <ListState query={query} lines={3}>
        {({ pages }) => {
          const loans = pages.flatMap((page) => page.loans)
          if (loans.length === 0) return <p>{t('people.ended.none')}</p>
          return (
            <>
              <ResponsiveTable
                label={t('people.ended.title')}
                dense
                rows={loans}
                keyOf={(loan) => loan.id}
                columns={[
                  {
                    title: t('loans.column.book'),
                    cell: (loan) => <BookLink id={loan.bookId} title={loan.title} />,
                  },
                  { title: t('loans.column.entry'), cell: (loan) => <DateText day={loan.EntryDate} /> },
                  { title: t('loans.column.return'), cell: (loan) => <DateText day={loan.returnDate} /> },
                  { title: t('people.ended.on'), cell: (loan) => <DateText day={loan.endedOn} /> },
                  { title: t('loans.column.fine'), align: 'end', cell: (loan) => <Fine amount={loan.fine} /> },
                ]}
              />
              <ShowMore query={query} label={t('people.ended.more')} />
            </>
          )
        }}
      </ListState>
    </section>
  )
}

function Changes({ uid, timeZone }: { uid: number; timeZone: string }) {
  const query = useInfiniteQuery(changesQuery({ person: uid }))
  return (
    <section className={classes.part} aria-labelledby="happened">
      <div className={classes.head}>
        <Title order={2} id="happened">
          {t('people.changes.title')}
        </Title>
        <Anchor component={Link} to={`${paths.activity()}?person=${uid}`} fz="inherit">
          {t('people.changes.all')}
        </Anchor>
      </div>
      <ListState query={query} lines={3}>
        {({ pages }) => {
          const changes = pages.flatMap((page) => page.changes)
          if (changes.length === 0) return <p>{t('people.changes.none')}</p>
          return (
            <>
              <ol className={classes.changes}>
                {changes.map((change) => (
                  <li key={change.id} className={classes.change}>
                    <Happened change={change} uid={uid} timeZone={timeZone} />
                  </li>
                ))}
              </ol>
              <ShowMore query={query} label={t('people.changes.more')} />
            </>
          )
        }}
      </ListState>
    </section>
  )
}

type HappenedProps = { change: Change; uid: number; timeZone: string }

function Happened({ change, uid, timeZone }: HappenedProps) {
  const { at, messages, actor, person } = change
  return (
    <>
      <time dateTime={at} className={`tabular ${classes.when}`}>
        {momentText(at, timeZone)}
      </time>
      <span dir="auto">
        {messages.map(translateMessage).join(' ')}
        {actor && person && actor.id !== person.id && (
          <span className={classes.when}>
            {' '}
            {uid === actor.id
              ? t('people.changes.for', { name: person.name })
              : t('people.changes.by', { name: actor.name })}
          </span>
        )}{' '}
        <UndoChange change={change} />
      </span>
    </>
  )
}
