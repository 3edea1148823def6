import { Button } from '@mantine/core'
import { useRef, useState } from 'react'
import { useAction } from '../../../api/action'
import { deleteBook as deleteBookAction } from '../../../api/books'
import type { Book } from '../../../api/types'
import { quoted } from '../../../lib/format'
import { t } from '../../../lib/messages'
import { ConfirmModal } from '../../../ui/ConfirmModal'
import { BookCover } from '../grid/BookCover'
import classes from './DeleteBook.module.css'

/** The quiet red button on a card, and the question it asks before the book is gone. */
export function DeleteBook({ book }: { book: Book }) {
  // The book that was asked about: while the list closes the gap, the next one may already stand on this card.
  const [asked, setAsked] = useState<Book | null>(null)
  const [asking, setAsking] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const deleteBook = useAction(deleteBookAction, {
    done: () => t('books.delete.done', { title: quoted(asked?.title ?? '') }),
    failed: () => t('books.delete.failed'),
  })

  function ask() {
    setAsked(book)
    setAsking(true)
  }

  async function remove() {
    if (!asked) return
    const place = button.current?.closest<HTMLElement>('[data-index]')?.dataset['index']
    const { ok, refreshed } = await deleteBook.run(asked.id)
    setAsking(false)
    if (!ok) return
    await refreshed
    focusNear(Number(place))
  }

  return (
    <>
      <Button
        ref={button}
        variant="subtle"
        color="red"
        size="sm"
        aria-label={t('books.delete.book', { title: book.title })}
        data-delete-book
        onClick={ask}
      >
        {t('books.delete.action')}
      </Button>
      <ConfirmModal
        opened={asking}
        title={t('books.delete.question')}
        confirm={t('books.delete.action')}
        danger
        pending={deleteBook.pending}
        onConfirm={() => void remove()}
        onClose={() => setAsking(false)}
      >
        {asked && <WhichBook book={asked} />}
        {t('books.delete.consequence')}
      </ConfirmModal>
    </>
  )
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

/** The keyboard goes on where the deleted book stood: at the next one, or else at the last. */
function focusNear(place: number): void {
  setTimeout(() => {
    const buttons = [...document.querySelectorAll<HTMLElement>('[data-delete-book]')]
    const placeOf = (element: HTMLElement) => Number(element.closest<HTMLElement>('[data-index]')?.dataset['index'])
    const next = buttons.find((element) => placeOf(element) >= place) ?? buttons.at(-1)
    ;(next ?? document.querySelector<HTMLElement>('input[type="search"]'))?.focus()
  }, CLOSING_MS)
}

/** The question is closed by then and has given the focus back. */
const CLOSING_MS = 250
