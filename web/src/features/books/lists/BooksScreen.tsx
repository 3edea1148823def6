import { Button } from '@mantine/core'
import { Link } from 'react-router'
import type { Book } from '../../../api/types'
import { t } from '../../../lib/messages'
import { paths } from '../../../screens'
import { useNarrowing } from '../grid/BookFilters'
import { BookGrid } from '../grid/BookGrid'
import { CsvLink } from '../../../ui/CsvLink'
import { PageHeader } from '../../../ui/PageHeader'
import { SearchBox, useSearchText } from '../../../ui/SearchBox'
import { AddFirstBook } from './AddFirstBook'
import { WhoseNumber } from './WhoseNumber'

const linkTo = (book: Book) => paths.bookDetail(book.id)

/** All Books: search of the catalogue, with a button that opens a book's form. */
export default function BooksScreen() {
  const q = useSearchText()
  const [narrowing] = useNarrowing()
  return (
    <>
      <PageHeader title={t('books.all.title')} actions={<CsvLink list="books">{t('books.csv')}</CsvLink>}>
        <SearchBox label={t('books.search.label')} placeholder={t('books.search.placeholder')} />
      </PageHeader>
      <WhoseNumber text={q} />
      <BookGrid
        filter={{ q, field: 'any', ...narrowing }}
        columns={3}
        filters
        linkTo={linkTo}
        actions={(book) => (
          <Button
            component={Link}
            to={paths.updateBook(book.id)}
            aria-label={t('books.update.book', { title: book.title })}
            variant="subtle"
            size="sm"
          >
            {t('books.update.action')}
          </Button>
        )}
        empty={<AddFirstBook />}
      />
    </>
  )
}
