import { Button } from '@mantine/core'
import { Link } from 'react-router'
import { t } from '../../lib/messages'
import { paths } from '../../screens'

/** Link that opens the person at the desk, like a scan of the card. */
export function OpenAtDesk({ rollNumber }: { rollNumber: string }) {
  return (
    <Button component={Link} to={paths.desk()} state={{ card: rollNumber }}>
      {t('people.openAtDesk')}
    </Button>
  )
}
