import { Button } from '@mantine/core'
import { Link } from 'react-router'
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
        title="Books"
        actions={
          <Button component={Link} to={paths.addBook()} leftSection={<PlusIcon />}>
            Add New Book
          </Button>
        }
      >
        <SearchBox label="Search books by title or author" placeholder="Search by title or author" />
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
              aria-label={`Update ${book.title}`}
              variant="subtle"
              size="sm"
            >
              Update
            </Button>
            <DeleteBook book={book} />
          </>
        )}
        empty={
          <EmptyState
            message="No books available. Please add some books!"
            action={
              <Button component={Link} to={paths.addBook()} variant="default">
                Add New Book
              </Button>
            }
          />
        }
      />
    </>
  )
}
