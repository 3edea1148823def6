import { Button } from '@mantine/core'
import { Link } from 'react-router'
import { paths } from '../../../lib/paths'
import { BookGrid } from '../grid/BookGrid'
import { PageHeader } from '../../../ui/PageHeader'
import { SearchBox, useSearchText } from '../../../ui/SearchBox'
import { AddFirstBook } from './AddFirstBook'

/** All Books: find one and go to its form. */
export default function BooksScreen() {
  const q = useSearchText()
  return (
    <>
      <PageHeader title="All Books">
        <SearchBox label="Search books by title or author" placeholder="Search by title or author" />
      </PageHeader>
      <BookGrid
        filter={{ q, field: 'any', sort: 'title' }}
        columns={3}
        linkTo={(book) => paths.bookDetail(book.id)}
        actions={(book) => (
          <Button
            component={Link}
            to={paths.updateBook(book.id)}
            aria-label={`Update ${book.title}`}
            variant="subtle"
            size="sm"
          >
            Update
          </Button>
        )}
        empty={<AddFirstBook />}
      />
    </>
  )
}
