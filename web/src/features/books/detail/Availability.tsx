import type { BookDetail } from '../../../api/types'
import { t } from '../../../lib/messages'
import classes from './Availability.module.css'

/** Availability and location: "3 of 5 available · Main hall, shelf A4". */
export function Availability({ book }: { book: BookDetail }) {
  const there = book.status === 'Available'
  return (
    <p className={classes.sentence}>
      <span className={classes.dot} data-hollow={!there || undefined} />
      <span>
        {wordsFor(book)}
        {there && (
          <>
            {' · '}
            <bdi dir="auto">{book.location || t('books.detail.locationUnknown')}</bdi>
          </>
        )}
      </span>
    </p>
  )
}

function wordsFor({ status, noOfBooks, copies, nextDue, reservation }: BookDetail): string {
  const { fillable, inRepair } = reservation
  if (status === 'Available') return t('books.detail.available', { free: noOfBooks, copies })
  // The status was set by hand: there are copies on the shelf, but they cannot be borrowed.
  if (noOfBooks > 0) return t('books.detail.closed')
  if (copies === 0) return t('books.detail.noCopies')
  if (!fillable) return t('books.detail.noneLeft')
  if (inRepair > 0 && inRepair === copies) return t('books.detail.inRepair', { copies })
  if (inRepair > 0 && nextDue === null) return t('books.detail.someInRepair', { copies: inRepair })
  return nextDue === null ? t('books.detail.allOut') : t('books.detail.allOutNext', { day: nextDue })
}
