import { ActionIcon } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { Bell } from 'lucide-react'
import { useEffect } from 'react'
import { Link } from 'react-router'
import { listenToBell } from '../api/notices'
import { numberText } from '../lib/format'
import { t } from '../lib/messages'
import { paths } from '../screens'
import classes from './NoticesBell.module.css'

/** Link to the user's notices, with the number of unread ones, which changes as notices come. */
export default function NoticesBell({ unread }: { unread: number }) {
  const queries = useQueryClient()
  useEffect(() => listenToBell(queries), [queries])
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
