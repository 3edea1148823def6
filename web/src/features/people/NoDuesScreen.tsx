import { Alert, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from 'react-router'
import { noDuesQuery } from '../../api/people'
import { dayText } from '../../lib/format'
import { t } from '../../lib/messages'
import { ProblemError } from '../../lib/problem'
import { EmptyState } from '../../ui/EmptyState'
import { ListState } from '../../ui/ListState'
import { PageHeader } from '../../ui/PageHeader'
import classes from './NoDues.module.css'

/** Public check whether a certificate is genuine and still valid (R-PEOPLE-7). */
export default function NoDuesScreen() {
  const number = useParams()['id'] ?? ''
  const query = useQuery(noDuesQuery(number))
  const unknown = query.error instanceof ProblemError && query.error.code === 'not-found'
  return (
    <div className={classes.check}>
      <PageHeader title={t('people.noDues.title')} />
      {unknown ? (
        <EmptyState message={t('people.noDues.unknown', { number })} />
      ) : (
        <ListState query={query} lines={3}>
          {({ valid, name, rollNumber, department, batch, issuedOn }) => (
            <>
              <Alert color={valid ? 'teal' : 'red'} role="status" mb="lg">
                {t(valid ? 'people.noDues.valid' : 'people.noDues.invalid')}
              </Alert>
              <Text size="lg" dir="auto">
                {[name, rollNumber, department, batch].filter(Boolean).join(' · ')}
              </Text>
              <Text c="dimmed">{t('people.noDues.issued', { number, day: dayText(issuedOn) })}</Text>
            </>
          )}
        </ListState>
      )}
    </div>
  )
}
