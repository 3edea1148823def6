import { Button } from '@mantine/core'
import { useRef, useState } from 'react'
import { t } from '../../../lib/messages'
import { useAction } from '../../../api/action'
import { deleteBook as deleteBookAction } from '../../../api/books'
import type { Book } from '../../../api/types'
import { ConfirmModal } from '../../../ui/ConfirmModal'
import { quoted } from '../../../lib/format'

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
        aria-label={t('books.delete.named', { title: book.title })}
        data-delete-book
        onClick={ask}
      >
        {t('books.delete.short')}
      </Button>
      <ConfirmModal
        opened={asking}
        title={t('books.delete.question')}
        confirm={t('books.delete.short')}
        danger
        pending={deleteBook.pending}
        onConfirm={() => void remove()}
        onClose={() => setAsking(false)}
      >
        {asked && t('books.delete.explain', { title: quoted(asked.title) })}
      </ConfirmModal>
    </>
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
