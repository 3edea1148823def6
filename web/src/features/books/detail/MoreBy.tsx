import { Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { byAuthorQuery } from '../../../api/books'
import type { Book } from '../../../api/types'
import { t } from '../../../lib/messages'
import { BookCover } from '../grid/BookCover'
import classes from './MoreBy.module.css'

/** Other books by the same author; renders nothing if there are none. */
export function MoreBy({ book, linkTo }: { book: Book; linkTo: (id: number) => string }) {
  const { data } = useQuery({ ...byAuthorQuery(book.author), enabled: book.author !== '' })
  const others = data?.books.filter(({ id, author }) => author === book.author && id !== book.id) ?? []
  if (others.length === 0) return null
  return (
    <section className={classes.more} aria-labelledby="more-by">
      <Title order={2} id="more-by">
        {t('books.detail.moreBy', { author: book.author })}
      </Title>
      <ul className={classes.list}>
        {others.map((other) => (
          <li key={other.id} className={classes.book}>
            <Link to={linkTo(other.id)} className={classes.link} title={other.title}>
              <BookCover book={other} />
              <span className={classes.title} dir="auto">
                {other.title}
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}
