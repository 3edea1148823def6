import { Alert } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { sessionQuery } from '../../api/account'
import { t } from '../../lib/messages'
import { PageHeader } from '../../ui/PageHeader'
import { OwnData } from './OwnData'
import { OwnProvider } from './OwnProvider'
import { OwnSessions } from './OwnSessions'
import { Passkeys } from './Passkeys'
import { PasswordForm } from './PasswordForm'
import { SecondFactor } from './SecondFactor'
import classes from './Security.module.css'

/** Password, second factor and sessions of the user's own account. */
export default function SecurityScreen() {
  const missing = useQuery(sessionQuery).data?.secondFactorMissing === true
  return (
    <div className={classes.screen}>
      <PageHeader title={t('security.title')} />
      {missing ? (
        <Alert color="yellow" mt="md" title={t('security.second.missingTitle')}>
          {t('security.second.missing')}
        </Alert>
      ) : (
        <PasswordForm />
      )}
      <Passkeys />
      <SecondFactor />
      {!missing && (
        <>
          <OwnProvider />
          <OwnSessions />
          <OwnData />
        </>
      )}
    </div>
  )
}
