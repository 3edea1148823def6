import { Anchor, Button } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { Link } from 'react-router'
import { useAction } from '../../../api/action'
import { addBook as addBookAction } from '../../../api/books'
import { useEditDraft } from '../../../api/draft'
import type { Book } from '../../../api/types'
import { t } from '../../../lib/messages'
import { paths } from '../../../screens'
import { PageHeader } from '../../../ui/PageHeader'
import { BookForm } from './BookForm'
import classes from './AddBookScreen.module.css'
import formClasses from './BookForm.module.css'
import { type BookValues, draftName, NEW_BOOK, newBookOf } from './bookValues'
import { useBack } from './useBack'
import { useBookForm } from './useBookForm'

const SHOWN = 5

/**
 * Add New Book, for many books in one sitting: after a save the form is emptied, its first field gets the focus, and
 * the added book is listed for correction.
 */
export default function AddBookScreen() {
  const state = useBookForm(useEditDraft(draftName('add'), NEW_BOOK), null)
  const addBook = useAction(addBookAction, { done: () => t('books.edit.add.done') })
  const back = useBack(paths.home())
  const [added, setAdded] = useState<readonly Book[]>([])
  const first = useRef<HTMLInputElement>(null)

  // Without scrolling, because a restored draft is announced at the top of the page.
  useEffect(() => first.current?.focus({ preventScroll: true }), [])

  async function save(values: BookValues) {
    state.beginSave()
    const outcome = await addBook.run(newBookOf(values))
    if (!outcome.ok) return state.fail(t('books.edit.add.failed'), outcome.error)
    setAdded((before) => [outcome.output, ...before].slice(0, SHOWN))
    state.startFrom({ values: NEW_BOOK, version: '' }, values)
    first.current?.focus()
  }

  return (
    <div className={formClasses.screen}>
      <PageHeader
        title={t('books.add')}
        actions={
          <>
            <Button component={Link} to={paths.quickAdd()} variant="default">
              {t('books.quick.title')}
            </Button>
            <Button component={Link} to={paths.importBooks()} variant="default">
              {t('books.import')}
            </Button>
          </>
        }
      />
      <BookForm
        state={state}
        kind="add"
        first={first}
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
