import { Button } from '@mantine/core'
import { Link } from 'react-router'
import { t } from '../../../lib/messages'
import { paths } from '../../../lib/paths'
import { BookGrid } from '../grid/BookGrid'
import { EmptyState } from '../../../ui/EmptyState'
import { PlusIcon } from '../../../ui/icons'
import { PageHeader } from '../../../ui/PageHeader'
import { SearchBox, useSearchText } from '../../../ui/SearchBox'
import { DeleteBook } from './DeleteBook'

export default function AdminHomeScreen() {
  const q = useSearchText()
  return (
    <>
      <PageHeader
        title={t('books.lists.home')}
        actions={
          <Button component={Link} to={paths.addBook()} leftSection={<PlusIcon />}>
            {t('books.add.title')}
          </Button>
        }
      >
        <SearchBox label={t('books.search.any')} placeholder={t('books.search.anyHint')} />
      </PageHeader>
      <BookGrid
        filter={{ q, field: 'any', sort: 'title' }}
        columns={6}
        linkTo={(book) => paths.bookDetail(book.id)}
        actions={(book) => (
          <>
            <Button
              component={Link}
              to={paths.updateBook(book.id)}
              aria-label={t('books.update.named', { title: book.title })}
              variant="subtle"
              size="sm"
            >
              {t('books.update.short')}
            </Button>
            <DeleteBook book={book} />
          </>
        )}
        empty={
          <EmptyState
            message={t('books.empty.librarian')}
            action={
              <Button component={Link} to={paths.addBook()} variant="default">
                {t('books.add.title')}
              </Button>
            }
          />
        }
      />
    </>
  )
}
