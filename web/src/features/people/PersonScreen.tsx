import { Button, Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, Navigate, useParams } from 'react-router'
import { useMay } from '../../api/account'
import { configQuery } from '../../api/config'
import { personQuery } from '../../api/people'
import type { Person } from '../../api/types'
import { t } from '../../lib/messages'
import { idOf } from '../../lib/paths'
import { paths } from '../../screens'
import { ProblemError } from '../../lib/problem'
import { EmptyState } from '../../ui/EmptyState'
import { ListState } from '../../ui/ListState'
import { PageHeader } from '../../ui/PageHeader'
import { PersonHolds } from '../holds'
import { FailedMails } from '../mails'
import { PersonAccount } from '../money'
import { OpenAtDesk } from './OpenAtDesk'
import { PersonActions } from './PersonActions'
import { PersonCard } from './PersonCard'
import { PersonFacts } from './PersonFacts'
import { PersonHistory } from './PersonHistory'
import { PersonLoans } from './PersonLoans'
import { PersonNotices } from './PersonNotices'
import classes from './PersonScreen.module.css'
import { ReserveBook } from './ReserveBook'

/** One person: details, open loans, and history (R-PEOPLE-2). */
export default function PersonScreen() {
  const uid = idOf(useParams()['id'])
  return uid === null ? <Nobody /> : <One uid={uid} />
}

function Nobody() {
  return (
    <>
      <PageHeader title={t('people.person')} />
      <EmptyState
        message={t('people.nobody')}
        action={
          <Button component={Link} to={paths.people()} variant="default">
            {t('people.import.back')}
          </Button>
        }
      />
    </>
  )
}

function One({ uid }: { uid: number }) {
  const query = useQuery(personQuery(uid))
  const config = useQuery(configQuery)
  const may = useMay('people')
  const mayLend = useMay('desk')
  const person = query.data
  if (query.error instanceof ProblemError && query.error.code === 'not-found') return <Nobody />
  // The record was merged into another one.
  if (person && person.uid !== uid) return <Navigate to={paths.person(person.uid)} replace />
  return (
    <div className={classes.screen}>
      {/* Rendered while the data loads, because the heading has the focus from the beginning. */}
      <PageHeader
        title={person?.name ?? t('people.person')}
        actions={
          person && (
            <Group gap="xs">
              {mayLend && person.rollNumber !== null && <OpenAtDesk rollNumber={person.rollNumber} />}
              <PersonCard person={person} />
              {may && <PersonActions person={person} />}
            </Group>
          )
        }
      />
      <ListState
        query={{
          data: person && config.data ? { of: person, config: config.data } : undefined,
          isError: query.isError || (config.isError && !config.data),
          error: query.error ?? config.error,
          refetch: () => Promise.all([query.refetch(), config.refetch()]),
        }}
        lines={6}
      >
        {({ of, config: { today, timeZone } }) => <Page person={of} today={today} timeZone={timeZone} />}
      </ListState>
    </div>
  )
}

function Page({ person, today, timeZone }: { person: Person; today: string; timeZone: string }) {
  return (
    <>
      <FailedMails uid={person.uid} />
      <PersonFacts person={person} today={today} />
      <PersonLoans person={person} />
      <PersonHolds uid={person.uid} actions={person.active && <ReserveBook uid={person.uid} name={person.name} />} />
      <PersonAccount uid={person.uid} name={person.name} />
      <PersonNotices uid={person.uid} timeZone={timeZone} />
      <PersonHistory person={person} timeZone={timeZone} />
    </>
  )
}
