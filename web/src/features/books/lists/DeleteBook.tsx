import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { useAction } from '../../../api/action'
import { bookQuery, deleteBook as deleteBookAction } from '../../../api/books'
import { copiesQuery } from '../../../api/copies'
import type { Book } from '../../../api/types'
import { focusIsFree, focusSearch } from '../../../lib/focus'
import { quoted } from '../../../lib/format'
import { t } from '../../../lib/messages'
import { ConfirmModal } from '../../../ui/ConfirmModal'
import { useQuestion } from '../../../ui/useQuestion'
import { BookCover } from '../grid/BookCover'
import classes from './DeleteBook.module.css'

/** Time until the question is closed and has returned the focus, milliseconds. */
const CLOSING_MS = 250
/** Time limit for the list to reload without the deleted book, milliseconds. */
const SHOWN_MS = 5000
const AGAIN_MS = 50

/** Numbers of loans and reservations that the deletion of a book affects. */
type Touched = { id: number; onLoan: number; waiting: number }

/** Deletion in a list of books: a button for each book, and one question for all. */
export function useDeleteBook() {
  const { about: asked, opened, ask, close } = useQuestion<{ book: Book; place: number }>()
  const queries = useQueryClient()
  const [touched, setTouched] = useState<Touched | null>(null)
  const buttons = useRef(new Map<number, { id: number; element: HTMLButtonElement }>())
  const deleteBook = useAction(deleteBookAction, {
    done: () => t('books.delete.done', { title: quoted(asked?.book.title ?? '') }),
    failed: () => t('books.delete.failed'),
  })

  /** Loads the affected loans and reservations; the question shows the list's data until then, or after a failure. */
  async function look(id: number) {
    try {
      const [{ book }, { pages }] = await Promise.all([
        queries.fetchQuery(bookQuery(id)),
        queries.fetchInfiniteQuery(copiesQuery(id)),
      ])
      const onLoan = pages[0]?.counts.find(({ state }) => state === 'on-loan')?.count ?? 0
      setTouched({ id, onLoan, waiting: book.reservation.waiting })
    } catch {
      setTouched(null)
    }
  }

  async function remove() {
    if (!asked) return
    const { ok, refreshed } = await deleteBook.run(asked.book.id)
    close()
    if (!ok) return
    await refreshed
    setTimeout(() => focusNear(asked), CLOSING_MS)
  }

  /** Once the list has reloaded, focuses the book after the deleted one, or the one before, or the search box. */
  function focusNear({ book, place }: { book: Book; place: number }, left = SHOWN_MS) {
    const next = buttons.current.get(place) ?? buttons.current.get(place - 1)
    if (next?.id === book.id) {
      if (left > 0) setTimeout(() => focusNear({ book, place }, left - AGAIN_MS), AGAIN_MS)
    } else if (focusIsFree()) {
      if (next) next.element.focus()
      else focusSearch()
    }
  }

  return {
    button: (book: Book, place: number) => (
      <Button
        ref={(element: HTMLButtonElement | null) => {
          if (element) buttons.current.set(place, { id: book.id, element })
          else buttons.current.delete(place)
        }}
        variant="subtle"
        color="red"
        size="sm"
        aria-label={t('books.delete.book', { title: book.title })}
        onClick={() => {
          ask({ book, place })
          void look(book.id)
        }}
      >
        {t('books.delete.action')}
      </Button>
    ),
    question: (
      <ConfirmModal
        opened={opened}
        title={t('books.delete.question')}
        confirm={t('books.delete.action')}
        danger
        pending={deleteBook.pending}
        onConfirm={() => void remove()}
        onClose={close}
      >
        {asked && <WhichBook book={asked.book} touched={touched?.id === asked.book.id ? touched : null} />}
        {t('books.delete.consequence')}
      </ConfirmModal>
    ),
  }
}

/** Details that distinguish a book from another one of the same title. */
function WhichBook({ book, touched }: { book: Book; touched: Touched | null }) {
  return (
    <div className={classes.book}>
      <div className={classes.cover}>
        <BookCover book={book} />
      </div>
      <div className={classes.words}>
        <strong className={classes.title} dir="auto">
          {book.title}
        </strong>
        <span className={classes.author} dir="auto">
          {book.author || t('books.unknownAuthor')}
        </span>
        {book.publishedYear !== null && <span className="tabular">{book.publishedYear}</span>}
        <span>{t('books.delete.copies', { copies: book.noOfBooks })}</span>
        <span dir="auto">{book.location}</span>
        <div aria-live="polite" className={classes.touched}>
          {touched && touched.onLoan > 0 && <p>{t('books.delete.onLoan', { copies: touched.onLoan })}</p>}
          {touched && touched.waiting > 0 && <p>{t('books.delete.waiting', { people: touched.waiting })}</p>}
        </div>
      </div>
    </div>
  )
}
