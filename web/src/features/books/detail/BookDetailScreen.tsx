import { Button } from '@mantine/core'
import { Link, useParams } from 'react-router'
import { t } from '../../../lib/messages'
import { idOf, paths } from '../../../lib/paths'
import { CopiesPanel } from '../../copies'
import { StatusBadge } from '../grid/StatusBadge'
import { BookPage } from './BookPage'

/** A book as the librarian sees it (R-DETAIL-1). */
export default function BookDetailScreen() {
  const id = idOf(useParams()['id'])
  return (
    <BookPage
      key={id}
      id={id}
      home={paths.home()}
      linkTo={paths.bookDetail}
      search={paths.home()}
      forLibrarian
      panel={(book) => <CopiesPanel book={book} />}
      action={(book) => (
        <>
          <Button component={Link} to={paths.updateBook(book.id)} size="md">
            {t('books.detail.update')}
          </Button>
          <StatusBadge status={book.status} size="lg" />
        </>
      )}
    />
  )
}
