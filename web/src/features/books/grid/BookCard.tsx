import { Badge } from '@mantine/core'
import type { MouseEvent, ReactNode } from 'react'
import { Link, useNavigate } from 'react-router'
import { t } from '../../../lib/messages'
import type { Book } from '../../../api/types'
import { BookCover } from './BookCover'
import classes from './BookCard.module.css'
import { Stars } from '../../../ui/Stars'
import { StatusBadge } from './StatusBadge'

export type BookCardProps = {
  book: Book
  /** Where the title leads. */
  to: string
  /** `tall`: cover above the words. `wide`: cover beside them. */
  layout?: 'tall' | 'wide'
  actions?: ReactNode
  eager?: boolean
}

/**
 * One book in a list. The title is the link; a double click anywhere on the card and a tap on it open the book too, while
 * a single click of a mouse does not, so that the second click of a double click never lands on the next page.
 */
export function BookCard({ book, to, layout = 'tall', actions, eager = false }: BookCardProps) {
  const navigate = useNavigate()

  function open(event: MouseEvent) {
    const onControl = event.target instanceof Element && event.target.closest('a, button') !== null
    if (!onControl) void navigate(to)
  }

  function openOnTap(event: MouseEvent) {
    const { nativeEvent } = event
    if (nativeEvent instanceof PointerEvent && nativeEvent.pointerType === 'touch') open(event)
  }

  return (
    // The pointer gestures repeat what the link inside does for the keyboard.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions
    <article className={classes.card} data-layout={layout} onDoubleClick={open} onClick={openOnTap}>
      <div className={classes.cover}>
        <BookCover book={book} eager={eager} />
      </div>
      <div className={classes.words}>
        <h2 className={classes.title} dir="auto">
          <Link to={to} className={classes.link} data-result>
            {book.title}
          </Link>
        </h2>
        <p className={classes.author} dir="auto" title={book.author || undefined}>
          {book.author || t('books.author.unknown')}
        </p>
        <div className={classes.badges}>
          {book.genre && (
            <Badge color="gray" className={classes.genre} title={book.genre} dir="auto">
              {book.genre}
            </Badge>
          )}
          <StatusBadge status={book.status} />
        </div>
        <Stars value={book.rating} size={15} />
        {actions !== undefined && <div className={classes.actions}>{actions}</div>}
      </div>
    </article>
  )
}
