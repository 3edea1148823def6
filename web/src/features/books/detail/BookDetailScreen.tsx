import { Button } from '@mantine/core'
import { Link, useParams } from 'react-router'
import { useMay } from '../../../api/account'
import { t } from '../../../lib/messages'
import { idOf } from '../../../lib/paths'
import { paths } from '../../../screens'
import { CopiesPanel } from '../../copies'
import { LinePanel } from '../../holds'
import { StatusBadge } from '../grid/StatusBadge'
import { BookPage } from './BookPage'

/** The librarian's page of a book (R-DETAIL-1). */
export default function BookDetailScreen() {
  const id = idOf(useParams()['id'])
  const may = useMay('catalogue')
  return (
    <BookPage
      key={id}
      id={id}
      home={paths.home()}
      linkTo={paths.bookDetail}
      search={paths.home()}
      forLibrarian
      panel={(book) => (
        <>
          <CopiesPanel book={book} />
          <LinePanel book={book} />
        </>
      )}
      action={(book) => (
        <>
          {may && (
            <Button component={Link} to={paths.updateBook(book.id)} size="md">
              {t('books.detail.update')}
            </Button>
          )}
          <StatusBadge status={book.status} size="lg" />
        </>
      )}
    />
  )
}
