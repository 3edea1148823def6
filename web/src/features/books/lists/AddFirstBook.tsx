import { Button, Group } from '@mantine/core'
import { Link } from 'react-router'
import { useMay } from '../../../api/account'
import { t } from '../../../lib/messages'
import { paths } from '../../../screens'
import { EmptyState } from '../../../ui/EmptyState'

/** Empty state of a catalogue without books: offers to import or add books. */
export function AddFirstBook() {
  const may = useMay('catalogue')
  return (
    <EmptyState
      message={t('books.list.empty')}
      action={
        may && (
          <Group justify="center">
            <Button component={Link} to={paths.importBooks()}>
              {t('books.import')}
            </Button>
            <Button component={Link} to={paths.quickAdd()} variant="default">
              {t('books.quick.title')}
            </Button>
            <Button component={Link} to={paths.addBook()} variant="default">
              {t('books.add')}
            </Button>
          </Group>
        )
      }
    />
  )
}
