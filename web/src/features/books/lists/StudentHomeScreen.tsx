import { t } from '../../../lib/messages'
import { paths } from '../../../lib/paths'
import { BookGrid } from '../grid/BookGrid'
import { useSort } from '../grid/SortChoice'
import { EmptyState } from '../../../ui/EmptyState'
import { PageHeader } from '../../../ui/PageHeader'
import { SearchBox, useSearchText } from '../../../ui/SearchBox'
import { Highlights } from './Highlights'

export default function StudentHomeScreen() {
  const q = useSearchText()
  const sort = useSort()
  return (
    <>
      <PageHeader title={t('books.student.title')}>
        <SearchBox label={t('books.search.label')} placeholder={t('books.search.placeholder')} />
      </PageHeader>
      {q === '' && <Highlights />}
      <BookGrid
        filter={{ q, field: 'any', sort }}
        columns={6}
        sortable
        linkTo={(book) => paths.studentBookDetail(book.id)}
        empty={<EmptyState message={t('books.student.empty')} />}
      />
    </>
  )
}
