import type { ReviewForm } from '../../../api/types'
import { draftOf, type Draft } from '../../../lib/drafts'

/** Draft of an unsent review. */
export const reviewDraft = (uid: number, bookId: number): Draft<ReviewForm> =>
  draftOf(uid, `review ${bookId}`, { rating: 0, comment: '' })
