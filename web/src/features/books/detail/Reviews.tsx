import { Button, Skeleton, Text, Title } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useEffect, useRef, type ReactNode } from 'react'
import { reviewsQuery } from '../../../api/reviews'
import type { Review } from '../../../api/types'
import { ErrorState } from '../../../ui/ErrorState'
import { numberText } from '../../../lib/format'
import { t } from '../../../lib/messages'
import { Stars } from '../../../ui/Stars'
import { distributionOf, oneDecimal } from './bookRules'
import { OneReview } from './OneReview'
import classes from './Reviews.module.css'

type ReviewsProps = {
  bookId: number
  /** The reader's own review, or the form for one. */
  own: ((review: Review | null) => ReactNode) | undefined
  /** Shown to visitors, who cannot review. */
  write: ReactNode
}

/** Reviews: the distribution of stars, and the comments, newest first. */
export function Reviews({ bookId, own, write }: ReviewsProps) {
  const query = useInfiniteQuery(reviewsQuery(bookId))
  const list = useRef<HTMLUListElement>(null)
  const yours = query.data?.pages[0]?.yours ?? null
  // The reader's own review is shown above the list, not in the list.
  const reviews = (query.data?.pages.flatMap((page) => page.reviews) ?? []).filter(
    ({ id }) => own === undefined || id !== yours?.id,
  )
  // Reviews may be added while pages are loaded, so the figures come from the page loaded last.
  const figures = query.data?.pages.at(-1)

  const shown = reviews.length
  const goOnAt = useRef<number | null>(null)

  // The pressed button may have disappeared, so the focus moves to the first of the added reviews.
  useEffect(() => {
    if (goOnAt.current === null || shown <= goOnAt.current) return
    const next = list.current?.children[goOnAt.current]
    goOnAt.current = null
    if (next instanceof HTMLElement) next.focus({ preventScroll: true })
  }, [shown])

  function showMore() {
    goOnAt.current = shown
    void query.fetchNextPage()
  }

  return (
    <section className={classes.reviews} aria-labelledby="reviews">
      <div className={classes.summary}>
        <Title order={2} id="reviews">
          {t('books.reviews.title')}
        </Title>
        {figures && figures.averageRating !== null && (
          <Figures average={figures.averageRating} total={figures.total} ratings={figures.ratings} />
        )}
        {figures?.total === 0 && (
          <Text mt="xs" c="dimmed">
            {t('books.reviews.none')}
          </Text>
        )}
        {write && <div className={classes.write}>{write}</div>}
      </div>
      <div>
        {query.data && own?.(yours)}
        {query.data ? (
          reviews.length > 0 && (
            <>
              <ul ref={list} className={classes.list} aria-labelledby="reviews">
                {reviews.map((review) => (
                  <li key={review.id} tabIndex={-1}>
                    <OneReview review={review} />
                  </li>
                ))}
              </ul>
              {query.isFetchNextPageError ? (
                <ErrorState error={query.error} onRetry={showMore} />
              ) : (
                query.hasNextPage && (
                  <Button variant="default" loading={query.isFetchingNextPage} onClick={showMore}>
                    {t('books.reviews.showMore')}
                  </Button>
                )
              )}
            </>
          )
        ) : query.isError ? (
          <ErrorState error={query.error} onRetry={() => void query.refetch()} />
        ) : (
          <div aria-hidden="true">
            <Skeleton height={20} width="12rem" />
            <Skeleton height={20} mt="sm" width="80%" />
          </div>
        )}
      </div>
    </section>
  )
}

function Figures({ average, total, ratings }: { average: number; total: number; ratings: readonly number[] }) {
  return (
    <>
      <p className={classes.average}>
        <span className="tabular">{oneDecimal(average)}</span>
        <Stars value={average} size={18} />
        <small>{t('books.reviews.count', { count: total })}</small>
      </p>
      <ul className={classes.distribution} aria-label={t('books.reviews.distribution')}>
        {distributionOf(ratings).map(({ stars, count, share }) => (
          <li key={stars}>
            <span className="tabular">{t('common.stars.count', { stars })}</span>
            <span className={classes.bar}>
              <span style={{ width: `${share * 100}%` }} />
            </span>
            <span className={`${classes.number} tabular`}>{numberText(count)}</span>
          </li>
        ))}
      </ul>
    </>
  )
}
