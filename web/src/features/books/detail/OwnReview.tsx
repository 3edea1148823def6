import { Button, Group, Title } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { useAction } from '../../../api/action'
import { deleteReview } from '../../../api/reviews'
import type { Review } from '../../../api/types'
import { t } from '../../../lib/messages'
import { ConfirmModal } from '../../../ui/ConfirmModal'
import { OneReview } from './OneReview'
import classes from './Reviews.module.css'
import { ReviewForm } from './ReviewForm'

type OwnReviewProps = { bookId: number; uid: number; review: Review | null }

/** The reader's own review (one per book), with edit and delete, or the form for a new one. */
export function OwnReview({ bookId, uid, review }: OwnReviewProps) {
  const [editing, setEditing] = useState(false)
  const place = useRef<HTMLDivElement>(null)
  const shown = review === null ? 'new' : editing ? 'edit' : `${review.id}`
  const before = useRef(shown)

  // When form and review replace each other, the focused button disappears: the focus moves to the new heading.
  useEffect(() => {
    if (before.current === shown) return
    before.current = shown
    place.current?.querySelector<HTMLElement>('[data-start]')?.focus({ preventScroll: true })
  }, [shown])

  return (
    <div ref={place} className={classes.own}>
      {review === null || editing ? (
        <ReviewForm key={shown} bookId={bookId} uid={uid} review={review} onDone={() => setEditing(false)} />
      ) : (
        <YourReview bookId={bookId} review={review} onEdit={() => setEditing(true)} />
      )}
    </div>
  )
}

function YourReview({ bookId, review, onEdit }: { bookId: number; review: Review; onEdit: () => void }) {
  const remove = useAction(deleteReview(bookId), {
    done: () => t('books.reviews.deleted'),
    failed: () => t('books.reviews.deleteFailed'),
  })
  const [asking, setAsking] = useState(false)

  async function takeBack() {
    const { ok } = await remove.run(review.id)
    if (!ok) setAsking(false)
  }

  return (
    <section aria-labelledby="your-review">
      <Title order={3} id="your-review" tabIndex={-1} data-start>
        {t('books.reviews.yours')}
      </Title>
      <div className={classes.yours}>
        <OneReview review={review} />
      </div>
      <Group gap="xs">
        <Button variant="default" size="sm" onClick={onEdit}>
          {t('books.reviews.edit')}
        </Button>
        <Button variant="subtle" color="red" size="sm" onClick={() => setAsking(true)}>
          {t('books.reviews.delete')}
        </Button>
      </Group>
      <ConfirmModal
        opened={asking}
        title={t('books.reviews.deleteQuestion')}
        confirm={t('books.reviews.delete')}
        danger
        pending={remove.pending}
        onConfirm={() => void takeBack()}
        onClose={() => setAsking(false)}
      >
        {t('books.reviews.deleteWhat')}
      </ConfirmModal>
    </section>
  )
}
