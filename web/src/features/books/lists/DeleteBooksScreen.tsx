import { EVERY_BOOK } from '../../../api/books'
import type { Book } from '../../../api/types'
import { t } from '../../../lib/messages'
import { paths } from '../../../screens'
import { BookGrid } from '../grid/BookGrid'
import { PageHeader } from '../../../ui/PageHeader'
import { SearchBox, useSearchText } from '../../../ui/SearchBox'
import { AddFirstBook } from './AddFirstBook'
import { useDeleteBook } from './DeleteBook'

const linkTo = (book: Book) => paths.bookDetail(book.id)

/** Delete Books: finds a book by its title and deletes it. */
export default function DeleteBooksScreen() {
  const q = useSearchText()
  const { button, question } = useDeleteBook()
  return (
    <>
      <PageHeader title={t('books.delete.title')}>
        <SearchBox label={t('books.search.titleLabel')} placeholder={t('books.search.titlePlaceholder')} />
      </PageHeader>
      <BookGrid
        filter={{ q, field: 'title', ...EVERY_BOOK }}
        columns={3}
        linkTo={linkTo}
        actions={button}
        empty={<AddFirstBook />}
      />
      {question}
    </>
  )
}
