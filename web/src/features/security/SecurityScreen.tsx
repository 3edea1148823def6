import { t } from '../../lib/messages'
import { PageHeader } from '../../ui/PageHeader'
import { OwnProvider } from './OwnProvider'
import { OwnSessions } from './OwnSessions'
import { PasswordForm } from './PasswordForm'
import classes from './Security.module.css'

/** What keeps one's own account safe: the password, and where one is signed in. */
export default function SecurityScreen() {
  return (
    <div className={classes.screen}>
      <PageHeader title={t('security.title')} />
      <PasswordForm />
      <OwnProvider />
      <OwnSessions />
    </div>
  )
}
