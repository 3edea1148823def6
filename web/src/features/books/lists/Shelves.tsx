import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { shelvesQuery } from '../../../api/shelves'
import type { Book } from '../../../api/types'
import { t } from '../../../lib/messages'
import { paths } from '../../../screens'
import { BookCover } from '../grid/BookCover'
import classes from './Shelves.module.css'
import { showWhole } from './showWhole'

/** Number of cover outlines shown while the shelves load. */
const OUTLINED = 12

/** Rows of books for a reader who has not searched; an empty row is left out. */
export default function Shelves() {
  const { data, isError } = useQuery(shelvesQuery)
  if (isError) return null
  const shelves = [
    { title: t('books.shelves.popular'), books: data?.popular },
    { title: t('books.shelves.newest'), books: data?.newest },
    { title: t('books.shelves.returned'), books: data?.returned },
  ].filter(({ books }) => books?.length !== 0)
  return (
    <div className={classes.shelves}>
      {shelves.map(({ title, books }) => (
        <section key={title} aria-label={title} aria-busy={books === undefined}>
          <h2 className={classes.title}>{title}</h2>
          {books ? <Covers books={books} /> : <Outlines />}
        </section>
      ))}
    </div>
  )
}

function Covers({ books }: { books: readonly Book[] }) {
  return (
    <ul className={classes.row}>
      {books.map((book) => (
        <li key={book.id} className={classes.book}>
          <Link to={paths.studentBookDetail(book.id)} className={classes.link} title={book.title} onFocus={showWhole}>
            <BookCover book={book} alone />
          </Link>
        </li>
      ))}
    </ul>
  )
}

function Outlines() {
  return (
    <div className={classes.row} aria-hidden="true">
      {Array.from({ length: OUTLINED }, (_, index) => (
        <div key={index} className={classes.book}>
          <Skeleton className={classes.outline} radius={4} />
        </div>
      ))}
    </div>
  )
}
