import { Button } from '@mantine/core'
import { useState } from 'react'
import { Link } from 'react-router'
import { useMay } from '../../../api/account'
import type { Book } from '../../../api/types'
import { t } from '../../../lib/messages'
import { storage } from '../../../lib/storage'
import { paths } from '../../../screens'
import { Overview } from '../../overview'
import { BookGrid } from '../grid/BookGrid'
import { useNarrowing } from '../grid/BookFilters'
import { LayoutGrid, Plus, Rows3 } from 'lucide-react'
import { PageHeader } from '../../../ui/PageHeader'
import { SearchBox, useSearchText } from '../../../ui/SearchBox'
import { AddFirstBook } from './AddFirstBook'
import { useDeleteBook } from './DeleteBook'
import { WhoseNumber } from './WhoseNumber'

/** Name in the browser's storage of the view that the librarian chose. */
const VIEW = 'books view'

const linkTo = (book: Book) => paths.bookDetail(book.id)

export default function AdminHomeScreen() {
  const q = useSearchText()
  const [narrowing] = useNarrowing()
  const may = useMay('catalogue')
  const [isTable, setTable] = useState(() => storage.read(VIEW) === 'table')
  const { button: deleteButton, question } = useDeleteBook()
  function show() {
    storage.write(VIEW, isTable ? 'covers' : 'table')
    setTable(!isTable)
  }

  return (
    <>
      <PageHeader
        title={t('books.home.title')}
        actions={
          <>
            <Button
              variant="default"
              leftSection={isTable ? <LayoutGrid data-size="18" /> : <Rows3 data-size="18" />}
              onClick={show}
            >
              {t(isTable ? 'books.view.covers' : 'books.view.table')}
            </Button>
            {may && (
              <Button component={Link} to={paths.addBook()} leftSection={<Plus />}>
                {t('books.add')}
              </Button>
            )}
          </>
        }
      >
        <SearchBox label={t('books.search.label')} placeholder={t('books.search.placeholder')} />
      </PageHeader>
      {q === '' && <Overview />}
      <WhoseNumber text={q} />
      <BookGrid
        filter={{ q, field: 'any', ...narrowing }}
        columns={6}
        filters
        isShelved
        isTable={isTable}
        linkTo={linkTo}
        actions={
          may
            ? (book, place) => (
                <>
                  <Button
                    component={Link}
                    to={paths.updateBook(book.id)}
                    aria-label={t('books.update.book', { title: book.title })}
                    variant="subtle"
                    size="sm"
                  >
                    {t('books.update.action')}
                  </Button>
                  {deleteButton(book, place)}
                </>
              )
            : undefined
        }
        empty={<AddFirstBook />}
      />
      {question}
    </>
  )
}
