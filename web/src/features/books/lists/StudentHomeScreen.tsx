import { paths } from '../../../lib/paths'
import { t } from '../../../lib/messages'
import { BookGrid } from '../grid/BookGrid'
import { EmptyState } from '../../../ui/EmptyState'
import { PageHeader } from '../../../ui/PageHeader'
import { SearchBox, useSearchText } from '../../../ui/SearchBox'
import { Highlights } from './Highlights'

export default function StudentHomeScreen() {
  const q = useSearchText()
  return (
    <>
      <PageHeader title={t('books.lists.student')}>
        <SearchBox label={t('books.search.any')} placeholder={t('books.search.anyHint')} />
      </PageHeader>
      {q === '' && <Highlights />}
      <BookGrid
        filter={{ q, field: 'any', sort: 'title' }}
        columns={6}
        linkTo={(book) => paths.studentBookDetail(book.id)}
        empty={<EmptyState message={t('books.empty.reader')} />}
      />
    </>
  )
}
