import { Link } from 'react-router'
import { t } from '../lib/messages'
import { storedRole } from '../lib/storage'
import { screensOf } from '../screens'
import { LogoMark } from '../ui/LogoMark'
import { BarLink, brandTo } from './NavigationBar'
import classes from './Shell.module.css'

/** Navigation bar while the session cannot be requested: the links that the last person of this browser has anyway. */
export function StoredBar() {
  const role = storedRole.get()
  if (role === null) return <div className={classes.bar} />
  return (
    <nav className={classes.bar} aria-label={t('app.nav.label')} data-for={role}>
      <Link to={brandTo({ role })} className={classes.brand}>
        <LogoMark />
        <span className={classes.names}>My Library</span>
      </Link>
      <div className={classes.links}>
        {screensOf({ role, capabilities: [] })
          .filter(({ place }) => place === 'bar')
          .map((screen) => (
            <BarLink key={screen.path} screen={screen} />
          ))}
      </div>
    </nav>
  )
}
