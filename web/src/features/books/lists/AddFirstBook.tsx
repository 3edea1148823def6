import { Button } from '@mantine/core'
import { Link } from 'react-router'
import { useMay } from '../../../api/account'
import { t } from '../../../lib/messages'
import { paths } from '../../../screens'
import { EmptyState } from '../../../ui/EmptyState'

/** Replaces the list while the catalogue is empty. */
export function AddFirstBook() {
  const may = useMay('catalogue')
  return (
    <EmptyState
      message={t('books.list.empty')}
      action={
        may && (
          <Button component={Link} to={paths.addBook()}>
            {t('books.add')}
          </Button>
        )
      }
    />
  )
}
