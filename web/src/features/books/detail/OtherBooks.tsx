import { Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { Link } from 'react-router'
import { alsoBorrowedQuery, byAuthorQuery } from '../../../api/books'
import type { Book } from '../../../api/types'
import { t } from '../../../lib/messages'
import { BookCover } from '../grid/BookCover'
import classes from './OtherBooks.module.css'

type OtherBooksProps = { book: Book; linkTo: (id: number) => string }

/** Books that readers of this one also borrowed. */
export function AlsoBorrowed({ book, linkTo }: OtherBooksProps) {
  const { data } = useQuery(alsoBorrowedQuery(book.id))
  return <Row title={t('books.detail.alsoBorrowed')} books={data?.books} linkTo={linkTo} />
}

/** Other books by the same author. */
export function MoreBy({ book, linkTo }: OtherBooksProps) {
  const { data } = useQuery({ ...byAuthorQuery(book.author), enabled: book.author !== '' })
  const others = data?.books.filter(({ id, author }) => author === book.author && id !== book.id)
  return <Row title={t('books.detail.moreBy', { author: book.author })} books={others} linkTo={linkTo} />
}

type RowProps = { title: string; books: readonly Book[] | undefined; linkTo: (id: number) => string }

/** One line of covers; renders nothing without books. */
function Row({ title, books, linkTo }: RowProps) {
  const id = useId()
  if (books === undefined || books.length === 0) return null
  return (
    <section className={classes.others} aria-labelledby={id}>
      <Title order={2} id={id}>
        {title}
      </Title>
      <ul className={classes.list}>
        {books.map((other) => (
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
