import { Button, Group, Skeleton, Title } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { Link } from 'react-router'
import { meQuery, uidOf } from '../../api/account'
import { myLoansQuery } from '../../api/loans'
import type { User } from '../../api/types'
import { t } from '../../lib/messages'
import { paths } from '../../screens'
import { ErrorState } from '../../ui/ErrorState'
import { Money } from '../../ui/Facts'
import { PageHeader } from '../../ui/PageHeader'
import { MyHolds } from '../holds'
import { MyAccount, MyBalance } from '../money'
import { BorrowedBooks } from './BorrowedBooks'
import { profileDraft } from './draft'
import { MailChoices } from './MailChoices'
import { Calendar } from './Calendar'
import { Suggestions } from './Suggestions'
import { MyCard } from './MyCard'
import { ProfileForm } from './ProfileForm'
import classes from './ProfileScreen.module.css'

/** Open loans, details and debts of the student (R-PROF-1, R-PROF-2). */
export default function ProfileScreen() {
  const me = useQuery(meQuery)
  const uid = uidOf(useQueryClient())
  // An edit interrupted by a reload continues.
  const [editing, setEditing] = useState(() => profileDraft(uid).read() !== null)
  const edit = useRef<HTMLButtonElement>(null)
  const wasEditing = useRef(editing)

  // The focus returns to the button that opened the form.
  useEffect(() => {
    if (wasEditing.current && !editing) edit.current?.focus()
    wasEditing.current = editing
  }, [editing])

  return (
    <>
      {/* The heading is focused after navigation, so it stays while the data loads. */}
      <PageHeader title={t('profile.title')} actions={me.data && <MyCard user={me.data} />} />
      <BorrowedBooks />
      <MyHolds />
      <section className={classes.part} aria-labelledby="details">
        <Title order={2} id="details">
          {t('profile.details')}
        </Title>
        {me.data ? (
          editing ? (
            <ProfileForm user={me.data} draft={profileDraft(me.data.uid)} onClose={() => setEditing(false)} />
          ) : (
            <>
              <Details user={me.data} />
              <Group mt="lg" gap="sm">
                <Button ref={edit} variant="default" onClick={() => setEditing(true)}>
                  {t('profile.edit')}
                </Button>
                <Button component={Link} to={paths.security()} variant="default">
                  {t('security.title')}
                </Button>
              </Group>
            </>
          )
        ) : me.isError ? (
          <ErrorState error={me.error} onRetry={() => void me.refetch()} />
        ) : (
          <div className={classes.facts} aria-hidden="true">
            {['name', 'rollNumber', 'department', 'fine'].map((fact) => (
              <Skeleton key={fact} height={44} width={150} />
            ))}
          </div>
        )}
      </section>
      <MyAccount />
      <MailChoices />
      <Calendar />
      <Suggestions />
    </>
  )
}

function Details({ user }: { user: User }) {
  const loans = useQuery(myLoansQuery)
  return (
    <dl className={classes.facts}>
      <Fact name={t('profile.name')} value={user.name} />
      <Fact name={t('profile.rollNumber')} value={user.rollNumber} />
      <Fact name={t('profile.department')} value={user.department} />
      <div>
        <dt>{t('profile.totalFine')}</dt>
        <dd data-owed={(loans.data?.totalFine ?? 0) > 0 || undefined}>
          {loans.data ? (
            <Money amount={loans.data.totalFine} />
          ) : loans.isPending ? (
            <Skeleton width={60} height={24} />
          ) : (
            t('profile.notKnown')
          )}
        </dd>
      </div>
      <MyBalance />
    </dl>
  )
}

function Fact({ name, value }: { name: string; value: string | null }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd dir="auto">{value ?? t('profile.notKnown')}</dd>
    </div>
  )
}
