import { Anchor } from '@mantine/core'
import { useEffect, useState } from 'react'
import { Link } from 'react-router'
import { useAction } from '../../../api/action'
import { addBook as addBookAction } from '../../../api/books'
import type { Book } from '../../../api/types'
import { t } from '../../../lib/messages'
import { paths } from '../../../lib/paths'
import { PageHeader } from '../../../ui/PageHeader'
import { BookForm } from './BookForm'
import classes from './AddBookScreen.module.css'
import formClasses from './BookForm.module.css'
import { type BookValues, NEW_BOOK, newBookOf } from './bookValues'
import { draftName } from './draft'
import { useBack } from './useBack'
import { useBookForm } from './useBookForm'
import { useOwner } from './useOwner'

const SHOWN = 5

/**
 * Add New Book. A librarian enters a shelf of books in one sitting, so the form stays: it is emptied, the cursor is in the
 * title again, and what was just added stands beside it, to look at or to correct.
 */
export default function AddBookScreen() {
  const uid = useOwner()
  const state = useBookForm(draftName(uid, 'add'), null)
  const addBook = useAction(addBookAction, { done: () => t('books.edit.add.done') })
  const back = useBack(paths.home())
  const [added, setAdded] = useState<readonly Book[]>([])

  // The page stays at its top, where an earlier draft is announced.
  useEffect(() => focusTitle({ preventScroll: true }), [])

  async function save(values: BookValues) {
    state.beginSave()
    const outcome = await addBook.run(newBookOf(values))
    if (!outcome.ok) return state.fail(t('books.edit.add.failed'), outcome.error)
    setAdded((before) => [outcome.output, ...before].slice(0, SHOWN))
    state.startFrom({ values: NEW_BOOK, version: '' })
    focusTitle()
  }

  return (
    <div className={formClasses.screen}>
      <PageHeader title={t('books.add')} />
      <BookForm
        state={state}
        kind="add"
        submit={t('books.edit.add.submit')}
        pending={addBook.pending}
        onSave={(values) => void save(values)}
        onCancel={back}
      >
        {added.length > 0 && (
          <div className={classes.added}>
            <h2 className={classes.heading}>{t('books.edit.add.just')}</h2>
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

function focusTitle(options?: FocusOptions) {
  document.querySelector<HTMLElement>('[data-field="title"]')?.focus(options)
}
