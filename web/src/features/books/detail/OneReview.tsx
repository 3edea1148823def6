import { Text } from '@mantine/core'
import type { Review } from '../../../api/types'
import { instantText } from '../../../lib/format'
import { t } from '../../../lib/messages'
import { Stars } from '../../../ui/Stars'
import classes from './Reviews.module.css'

/** Stars and comment of one reader. */
export function OneReview({ review }: { review: Review }) {
  return (
    <>
      <div className={classes.by}>
        <Stars value={review.rating} size={15} />
        <span className={classes.name} dir="auto">
          {review.userName ?? t('books.reviews.reader')}
        </span>
        <Text span c="dimmed" size="sm">
          <time dateTime={review.createdAt} dir="auto">
            {instantText(review.createdAt)}
          </time>
        </Text>
      </div>
      <p className={classes.comment} dir="auto">
        {review.comment}
      </p>
    </>
  )
}
