import { memo, type ReactNode } from 'react'
import { Link } from 'react-router'
import type { Book } from '../../../api/types'
import { numberText } from '../../../lib/format'
import { t } from '../../../lib/messages'
import { Stars } from '../../../ui/Stars'
import { genreName } from '../genre'
import { BookCover } from './BookCover'
import classes from './BookCard.module.css'
import type { Layout } from './bookGridRules'
import { swallowSecondClick } from './doubleClick'
import { StatusBadge } from './StatusBadge'

export type BookCardProps = {
  book: Book
  /** Target of the card's link. */
  to: string
  layout?: Layout
  actions?: ReactNode
  eager?: boolean
  /** Reason for listing the book, if its title does not show it. */
  note?: string
  /** For librarians: shows the number of copies on the shelf, and their location. */
  isShelved?: boolean
  /** Level of the title's heading. */
  heading?: 'h2' | 'h3'
}

/** A book in a list. The title's link covers the whole card; the actions lie on top of the link. */
export const BookCard = memo(function BookCard({
  book,
  to,
  layout = 'tall',
  actions,
  eager = false,
  note,
  isShelved = false,
  heading: Heading = 'h2',
}: BookCardProps) {
  const author = book.author || t('books.unknownAuthor')
  return (
    <article className={classes.card} data-layout={layout} title={`${book.title}\n${author}`}>
      <div className={classes.cover}>
        <BookCover book={book} eager={eager} />
      </div>
      <div className={classes.words}>
        <Heading className={classes.title} dir="auto">
          <Link to={to} className={classes.link} data-result onClick={swallowSecondClick}>
            {book.title}
          </Link>
        </Heading>
        <p className={classes.author} dir="auto">
          {author}
        </p>
        {note !== undefined && (
          <p className={classes.note} dir="auto">
            {note}
          </p>
        )}
        {layout !== 'slim' && book.genre && (
          <p className={classes.genre} dir="auto">
            {genreName(book.genre)}
          </p>
        )}
        {isShelved && (
          <p className={classes.shelf} data-none={book.noOfBooks === 0 || undefined} dir="auto">
            {book.location === ''
              ? t('books.shelf.count', { count: book.noOfBooks })
              : t('books.shelf.at', { count: book.noOfBooks, location: book.location })}
          </p>
        )}
        <div className={classes.foot}>
          {layout !== 'slim' && <Rating book={book} isOwn={isShelved} />}
          {/* Most books are available, so only other states are shown in a grid. */}
          {(layout === 'slim' || book.status !== 'Available') && <StatusBadge status={book.status} />}
        </div>
        {actions !== undefined && <div className={classes.actions}>{actions}</div>}
      </div>
    </article>
  )
})

/**
 * Readers' average with the number of reviews. Librarians see the librarian's stars instead, as all do before the first
 * review (R-REV-2).
 */
function Rating({ book: { rating, averageRating, reviewCount }, isOwn }: { book: Book; isOwn: boolean }) {
  const average = reviewCount > 0 ? averageRating : null
  if (isOwn || average === null)
    return (
      <Stars
        value={rating}
        size={15}
        {...(rating !== null && { label: t('books.rating.librarian', { value: rating }) })}
      />
    )
  return (
    <span className={classes.readers}>
      <Stars value={average} size={15} label={t('books.rating.readers', { value: average, count: reviewCount })} />
      <span className="tabular" aria-hidden="true">
        {numberText(reviewCount)}
      </span>
    </span>
  )
}
