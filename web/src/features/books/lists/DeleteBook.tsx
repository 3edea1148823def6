import { Button } from '@mantine/core'
import { useRef } from 'react'
import { useAction } from '../../../api/action'
import { deleteBook as deleteBookAction } from '../../../api/books'
import type { Book } from '../../../api/types'
import { focusIsFree, focusSearch } from '../../../lib/focus'
import { quoted } from '../../../lib/format'
import { t } from '../../../lib/messages'
import { ConfirmModal } from '../../../ui/ConfirmModal'
import { useQuestion } from '../../../ui/useQuestion'
import { BookCover } from '../grid/BookCover'
import classes from './DeleteBook.module.css'

/** The question is closed by then and has given the focus back. */
const CLOSING_MS = 250

/** Deleting out of a list of books: the quiet red button of each one, and the one question that they ask. */
export function useDeleteBook() {
  const { about: asked, opened, ask, close } = useQuestion<{ book: Book; place: number }>()
  const buttons = useRef(new Map<number, HTMLButtonElement>())
  const deleteBook = useAction(deleteBookAction, {
    done: () => t('books.delete.done', { title: quoted(asked?.book.title ?? '') }),
    failed: () => t('books.delete.failed'),
  })

  async function remove() {
    if (!asked) return
    const { ok, refreshed } = await deleteBook.run(asked.book.id)
    close()
    if (!ok) return
    await refreshed
    setTimeout(() => focusNear(asked.place), CLOSING_MS)
  }

  /** The keyboard goes on where the deleted book stood: at the next one, or else at the last. */
  function focusNear(place: number) {
    if (!focusIsFree()) return
    const next = buttons.current.get(place) ?? buttons.current.get(place - 1)
    if (next) next.focus()
    else focusSearch()
  }

  return {
    button: (book: Book, place: number) => (
      <Button
        ref={(element: HTMLButtonElement | null) => {
          if (element) buttons.current.set(place, element)
          else buttons.current.delete(place)
        }}
        variant="subtle"
        color="red"
        size="sm"
        aria-label={t('books.delete.book', { title: book.title })}
        onClick={() => ask({ book, place })}
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
        {asked && <WhichBook book={asked.book} />}
        {t('books.delete.consequence')}
      </ConfirmModal>
    ),
  }
}

/** Enough of a book to tell it from another one of the same title. */
function WhichBook({ book }: { book: Book }) {
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
      </div>
    </div>
  )
}
