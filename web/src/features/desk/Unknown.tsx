import { Button } from '@mantine/core'
import { Link } from 'react-router'
import { useMay } from '../../api/account'
import { t } from '../../lib/messages'
import { paths } from '../../screens'
import classes from './Desk.module.css'

/** Choices for an unknown code: use it for a new book, a copy or a person (R-DESK-2). */
export function Unknown({ code }: { code: string }) {
  const [catalogue, people] = [useMay('catalogue'), useMay('people')]
  return (
    <div className={classes.ways}>
      {catalogue && (
        <>
          <Button component={Link} variant="default" to={paths.quickAdd()} state={{ barcode: code }}>
            {t('desk.screen.unknown.book')}
          </Button>
          <Button component={Link} variant="default" to={paths.home()}>
            {t('desk.screen.unknown.copy')}
          </Button>
        </>
      )}
      {people && (
        <Button component={Link} variant="default" to={paths.people()} state={{ rollNumber: code }}>
          {t('desk.screen.unknown.person')}
        </Button>
      )}
    </div>
  )
}
