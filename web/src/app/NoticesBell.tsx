import { ActionIcon } from '@mantine/core'
import { Bell } from 'lucide-react'
import { Link } from 'react-router'
import { numberText } from '../lib/format'
import { t } from '../lib/messages'
import { paths } from '../screens'
import classes from './NoticesBell.module.css'

/** Link to the user's notices, with the number of unread ones. */
export default function NoticesBell({ unread }: { unread: number }) {
  return (
    <ActionIcon
      component={Link}
      to={paths.notices()}
      variant="subtle"
      color="gray"
      size={36}
      aria-label={t('app.nav.unread', { count: unread })}
      className={classes.bell}
    >
      <Bell />
      {unread > 0 && (
        <span className={classes.unread} aria-hidden="true">
          {numberText(unread)}
        </span>
      )}
    </ActionIcon>
  )
}
