import { Badge } from '@mantine/core'
import type { BookStatus } from '../../../api/types'
import classes from './StatusBadge.module.css'
import { statusText } from './statusText'

/** Status of a book in words, with a filled or hollow dot. */
export function StatusBadge({ status, size = 'md' }: { status: BookStatus; size?: 'md' | 'lg' }) {
  const available = status === 'Available'
  return (
    <Badge
      size={size}
      color={available ? 'teal' : 'gray'}
      className={classes.badge}
      leftSection={<span className={classes.dot} data-hollow={!available || undefined} />}
    >
      {statusText(status)}
    </Badge>
  )
}
