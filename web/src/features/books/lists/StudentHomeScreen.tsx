import type { Book } from '../../../api/types'
import { t } from '../../../lib/messages'
import { paths } from '../../../screens'
import { BookGrid } from '../grid/BookGrid'
import { isNarrowed, useNarrowing } from '../grid/BookFilters'
import { EmptyState } from '../../../ui/EmptyState'
import { PageHeader } from '../../../ui/PageHeader'
import { SearchBox, useSearchText } from '../../../ui/SearchBox'
import { Highlights } from './Highlights'

const linkTo = (book: Book) => paths.studentBookDetail(book.id)

export default function StudentHomeScreen() {
  const q = useSearchText()
  const [narrowing] = useNarrowing()
  return (
    <>
      <PageHeader title={t('books.student.title')}>
        <SearchBox label={t('books.search.label')} placeholder={t('books.search.placeholder')} />
      </PageHeader>
      {q === '' && !isNarrowed(narrowing) && <Highlights />}
      <BookGrid
        filter={{ q, field: 'any', ...narrowing }}
        columns={6}
        filters
        linkTo={linkTo}
        empty={<EmptyState message={t('books.student.empty')} />}
      />
    </>
  )
}
