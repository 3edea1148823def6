import { infiniteQueryOptions } from '@tanstack/react-query'
import { action } from './action'
import { client, dataOf } from './client'
import { keys } from './keys'
import { FIRST_PAGE, pageAfter } from './pages'
import type { ReviewForm } from './types'

const REVIEWS_PER_PAGE = 20

/** Reviews, newest first; every page has number, average and distribution of all reviews. */
export const reviewsQuery = (bookId: number) =>
  infiniteQueryOptions({
    queryKey: keys.reviews(bookId),
    queryFn: ({ pageParam, signal }) =>
      dataOf(
        client.GET('/books/{id}/reviews', {
          params: {
            path: { id: bookId },
            query: { limit: REVIEWS_PER_PAGE, ...(pageParam.cursor !== null && { cursor: pageParam.cursor }) },
          },
          signal,
        }),
      ),
    initialPageParam: FIRST_PAGE,
    getNextPageParam: (last, _pages, start) => pageAfter(last, start),
  })

export const addReview = (bookId: number) =>
  action({
    name: `addReview ${bookId}`,
    send: ({ rating, comment }: ReviewForm, call) => {
      const body = { rating, comment: comment.trim() }
      return dataOf(client.POST('/books/{id}/reviews', { params: { path: { id: bookId } }, body, ...call }))
    },
    // The book shows the average, so it is reloaded with its reviews.
    changes: (_body, added) => (added ? [keys.book(bookId)] : []),
    fault: 'The review could not be saved',
  })

export const deleteReview = (bookId: number) =>
  action({
    name: `deleteReview ${bookId}`,
    send: (id: number, call) => dataOf(client.DELETE('/reviews/{id}', { params: { path: { id } }, ...call })),
    changes: () => [keys.book(bookId)],
    fault: 'The review could not be deleted',
  })
