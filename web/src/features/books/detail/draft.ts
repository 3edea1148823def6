import type { ReviewForm } from '../../../api/types'
import { draftOf, type Draft } from '../../../lib/drafts'

/** A review that is not sent yet. */
export const reviewDraft = (uid: number, bookId: number): Draft<ReviewForm> =>
  draftOf(uid, `review ${bookId}`, { rating: 0, comment: '' })
