import { Button } from '@mantine/core'
import { Link } from 'react-router'
import { useMay } from '../../api/account'
import { t } from '../../lib/messages'
import { paths } from '../../screens'
import classes from './Desk.module.css'

/** Link from a title without copies to its page, where copies are added. */
export function AddCopy({ book }: { book: number }) {
  if (!useMay('catalogue')) return null
  return (
    <div className={classes.ways}>
      <Button component={Link} variant="default" to={paths.bookDetail(book)}>
        {t('desk.screen.addCopy')}
      </Button>
    </div>
  )
}
