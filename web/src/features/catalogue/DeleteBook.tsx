import { Button } from '@mantine/core'
import { useState } from 'react'
import { useDeleteBook } from '../../api/books'
import type { Book } from '../../api/types'
import { notify } from '../../app/notify'
import { ConfirmModal } from '../../ui/ConfirmModal'

/** The quiet red button on a card, and the question it asks before the book is gone. */
export function DeleteBook({ book }: { book: Book }) {
  const [asking, setAsking] = useState(false)
  const deleteBook = useDeleteBook()

  async function remove() {
    try {
      await deleteBook.mutateAsync(book.id)
      notify.success(`“${book.title}” is deleted.`)
    } catch (error) {
      notify.failure('Error deleting book, please try again.', error)
    }
    setAsking(false)
  }

  return (
    <>
      <Button
        variant="subtle"
        color="red"
        size="sm"
        aria-label={`Delete ${book.title}`}
        onClick={() => setAsking(true)}
      >
        Delete
      </Button>
      <ConfirmModal
        opened={asking}
        title="Delete this book?"
        confirm="Delete"
        danger
        pending={deleteBook.isPending}
        onConfirm={() => void remove()}
        onClose={() => setAsking(false)}
      >
        “{book.title}” and its reviews will be deleted. Copies that are lent out can still be returned.
      </ConfirmModal>
    </>
  )
}
