import { Anchor } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Link } from 'react-router'
import { t } from '../../../lib/messages'
import { sessionQuery } from '../../../api/account'
import { useAddBook } from '../../../api/books'
import type { Book } from '../../../api/types'
import { notify } from '../../../lib/notify'
import { paths } from '../../../lib/paths'
import { PageHeader } from '../../../ui/PageHeader'
import { BookForm } from './BookForm'
import classes from './AddBookScreen.module.css'
import formClasses from './BookForm.module.css'
import { type BookValues, bodyOf, NEW_BOOK } from './bookValues'
import { draftName } from './draft'
import { useBack } from './useBack'
import { useBookForm } from './useBookForm'

const SHOWN = 5

/**
 * Add New Book. A librarian enters a shelf of books in one sitting, so the form stays: it is emptied, the cursor is in the
 * title again, and what was just added stands beside it, to look at or to correct.
 */
export default function AddBookScreen() {
  const uid = useQuery(sessionQuery).data?.user?.uid ?? 0
  const state = useBookForm(draftName(uid, 'add'), null)
  const addBook = useAddBook()
  const back = useBack(paths.home())
  const [added, setAdded] = useState<readonly Book[]>([])

  useEffect(focusTitle, [])

  async function save(values: BookValues) {
    state.beginSave()
    try {
      const book = await addBook.mutateAsync(bodyOf(values, 'add'))
      notify.success(t('books.add.done'))
      setAdded((before) => [book, ...before].slice(0, SHOWN))
      state.startFrom({ values: NEW_BOOK, version: '' })
      focusTitle()
    } catch (error) {
      state.fail(t('books.add.failed'), error)
    }
  }

  return (
    <div className={formClasses.screen}>
      <PageHeader title={t('books.add.title')} />
      <BookForm
        state={state}
        kind="add"
        submit={t('books.add.submit')}
        pending={addBook.isPending}
        onSave={(values) => void save(values)}
        onCancel={back}
      >
        {added.length > 0 && (
          <div className={classes.added}>
            <h2 className={classes.heading}>{t('books.add.just')}</h2>
            <ul className={classes.list}>
              {added.map((book) => (
                <li key={book.id} dir="auto">
                  <Anchor component={Link} to={paths.bookDetail(book.id)} className={classes.title}>
                    {book.title}
                  </Anchor>
                </li>
              ))}
            </ul>
          </div>
        )}
      </BookForm>
    </div>
  )
}

function focusTitle() {
  document.querySelector<HTMLElement>('[data-field="title"]')?.focus()
}
