import type { ReviewForm } from '../../../api/types'
import { tabStorage } from '../../../lib/storage'

/** Every reader has drafts of the own: the tab may change hands. */
const keyOf = (uid: number, bookId: number) => `draft:review:${uid}:${bookId}`

/** A review that is not sent yet, kept over a reload of this tab. */
export const reviewDraft = {
  read(uid: number, bookId: number): ReviewForm | null {
    try {
      const value: unknown = JSON.parse(tabStorage.read(keyOf(uid, bookId)) ?? 'null')
      return isReview(value) ? value : null
    } catch {
      return null
    }
  },
  write: (uid: number, bookId: number, values: ReviewForm) =>
    tabStorage.write(keyOf(uid, bookId), JSON.stringify(values)),
  remove: (uid: number, bookId: number) => tabStorage.remove(keyOf(uid, bookId)),
}

function isReview(value: unknown): value is ReviewForm {
  return (
    typeof value === 'object' &&
    value !== null &&
    'rating' in value &&
    typeof value.rating === 'number' &&
    'comment' in value &&
    typeof value.comment === 'string'
  )
}
