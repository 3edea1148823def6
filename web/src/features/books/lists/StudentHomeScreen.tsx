import { paths } from '../../../lib/paths'
import { BookGrid } from '../grid/BookGrid'
import { EmptyState } from '../../../ui/EmptyState'
import { PageHeader } from '../../../ui/PageHeader'
import { SearchBox, useSearchText } from '../../../ui/SearchBox'
import { Highlights } from './Highlights'

export default function StudentHomeScreen() {
  const q = useSearchText()
  return (
    <>
      <PageHeader title="Find a book">
        <SearchBox label="Search books by title or author" placeholder="Search by title or author" />
      </PageHeader>
      {q === '' && <Highlights />}
      <BookGrid
        filter={{ q, field: 'any', sort: 'title' }}
        columns={6}
        linkTo={(book) => paths.studentBookDetail(book.id)}
        empty={<EmptyState message="No books available yet. Please come back soon." />}
      />
    </>
  )
}
