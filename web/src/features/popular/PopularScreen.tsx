import { Button, Skeleton, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { sessionQuery } from '../../api/account'
import { highlightsQuery } from '../../api/books'
import type { Book, Role } from '../../api/types'
import { paths } from '../../app/paths'
import { homeOf } from '../../app/session'
import { BookCover } from '../../ui/BookCover'
import { EmptyState } from '../../ui/EmptyState'
import { ErrorState } from '../../ui/ErrorState'
import { PageHeader } from '../../ui/PageHeader'
import { Stars } from '../../ui/Stars'
import classes from './PopularScreen.module.css'

const SHOWN = 12

/** The books with the most stars, the newest first among equals. */
function mostPopular(books: readonly Book[]): readonly Book[] {
  return books.toSorted((one, other) => (other.rating ?? 0) - (one.rating ?? 0)).slice(0, SHOWN)
}

/** A strip of popular books for anyone who comes by. It does not move by itself. */
export default function PopularScreen() {
  const query = useQuery(highlightsQuery)
  const role = useQuery(sessionQuery).data?.user?.role ?? null
  const books = mostPopular(query.data?.books ?? [])

  return (
    <>
      <PageHeader title="Popular books" actions={<Next role={role} />} />
      <Text c="dimmed" className={classes.lead}>
        What our librarians rate highest among the newest books. Anyone may look; members borrow a book for 7 days.
      </Text>
      {query.isError && !query.data ? (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      ) : query.data && books.length === 0 ? (
        <EmptyState message="There are no books on the shelves yet. Please come back soon." />
      ) : (
        <ul className={classes.strip} aria-busy={query.isPending} aria-label="Popular books">
          {query.data
            ? books.map((book, index) => (
                <li key={book.id} className={classes.book}>
                  <Link to={linkTo(book, role)} className={classes.link}>
                    <BookCover book={book} eager={index < 8} />
                    <span className={classes.title} dir="auto">
                      {book.title}
                    </span>
                    <span className={classes.author} dir="auto">
                      {book.author || 'Unknown author'}
                    </span>
                  </Link>
                  <Stars value={book.rating} size={15} />
                </li>
              ))
            : Array.from({ length: SHOWN }, (_, index) => (
                <li key={index} className={classes.book} aria-hidden="true">
                  <Skeleton className={classes.skeleton} radius={4} />
                </li>
              ))}
        </ul>
      )}
    </>
  )
}

function linkTo(book: Book, role: Role | null): string {
  return role === 'admin' ? paths.bookDetail(book.id) : paths.studentBookDetail(book.id)
}

function Next({ role }: { role: Role | null }) {
  return role === null ? (
    <Button component={Link} to={paths.register()}>
      Become a member
    </Button>
  ) : (
    <Button component={Link} to={homeOf(role)} variant="default">
      All books
    </Button>
  )
}
