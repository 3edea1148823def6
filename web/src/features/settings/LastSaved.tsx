import { Anchor } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { newestChangeQuery } from '../../api/changes'
import { instantText } from '../../lib/format'
import { rich } from '../../lib/messages'
import { paths } from '../../screens'
import classes from './Settings.module.css'

/** Day and author of the last save, with a link to the earlier ones in the activity (L23). */
export function LastSaved({ action }: { action: 'rules-changed' | 'calendar-changed' }) {
  const newest = useQuery(newestChangeQuery(action)).data
  if (newest === null) return null
  return (
    <p className={classes.lastSaved}>
      {newest?.actor &&
        rich('settings.lastSaved', {
          day: instantText(newest.at),
          name: newest.actor.name,
          link: (words) => (
            <Anchor component={Link} to={`${paths.activity()}?action=${action}`} fz="inherit">
              {words}
            </Anchor>
          ),
        })}
    </p>
  )
}
