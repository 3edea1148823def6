import { ActionIcon, Button, Skeleton, Text } from '@mantine/core'
import { useReducedMotion } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import { Link } from 'react-router'
import { sessionQuery } from '../../../api/account'
import { highlightsQuery } from '../../../api/newest'
import type { Book, Role } from '../../../api/types'
import { t } from '../../../lib/messages'
import { homeOf, paths } from '../../../screens'
import { BookCover } from '../grid/BookCover'
import { EmptyState } from '../../../ui/EmptyState'
import { ErrorState } from '../../../ui/ErrorState'
import { ArrowLeft } from 'lucide-react'
import { PageHeader } from '../../../ui/PageHeader'
import { Stars } from '../../../ui/Stars'
import classes from './PopularScreen.module.css'
import { showWhole } from './showWhole'

const SHOWN = 12

/** Returns the most popular books: by stars, then newest first. */
function mostPopular(books: readonly Book[]): readonly Book[] {
  return books.toSorted((one, other) => (other.rating ?? 0) - (one.rating ?? 0)).slice(0, SHOWN)
}

/** Says by what the books were chosen: without stars, only by their age. */
function leadFor(books: readonly Book[]) {
  if (books.every(({ rating }) => rating !== null)) return 'books.popular.lead'
  return books[0]?.rating ? 'books.popular.leadMixed' : 'books.popular.leadNew'
}

/** A public strip of popular books, scrolled by hand. */
export default function PopularScreen() {
  const query = useQuery(highlightsQuery)
  const role = useQuery(sessionQuery).data?.user?.role ?? null
  const books = mostPopular(query.data?.books ?? [])

  return (
    <>
      <PageHeader title={t('books.popular.title')} actions={<Next role={role} />} />
      <Text c="dimmed" className={classes.lead}>
        {query.data && books.length > 0 && t(leadFor(books))} {role === null && t('books.popular.visitor')}
      </Text>
      {query.isError && !query.data ? (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      ) : query.data && books.length === 0 ? (
        <EmptyState message={t('books.popular.empty')} />
      ) : (
        <Shelf books={query.data ? books : null} linkTo={(book) => linkTo(book, role)} />
      )}
    </>
  )
}

/** Strip of covers; null while loading. */
function Shelf({ books, linkTo: to }: { books: readonly Book[] | null; linkTo: (book: Book) => string }) {
  const strip = useRef<HTMLUListElement>(null)
  const still = useReducedMotion(false, { getInitialValueInEffect: false })

  function move(direction: 1 | -1) {
    const { current } = strip
    const forward = current?.matches(':dir(rtl)') ? -1 : 1
    current?.scrollBy({
      left: forward * direction * current.clientWidth * 0.75,
      behavior: still ? 'instant' : 'smooth',
    })
  }

  return (
    <div className={classes.band}>
      <ul ref={strip} className={classes.strip} aria-busy={books === null} aria-label={t('books.popular.title')}>
        {books
          ? books.map((book, index) => (
              <li key={book.id} className={classes.book}>
                <Link to={to(book)} className={classes.link} onFocus={showWhole}>
                  <span className={classes.stand}>
                    <BookCover book={book} eager={index < 8} />
                  </span>
                  <span className={classes.title} dir="auto">
                    {book.title}
                  </span>
                  <span className={classes.author} dir="auto">
                    {book.author || t('books.unknownAuthor')}
                  </span>
                </Link>
                <Stars
                  value={book.rating}
                  size={15}
                  {...(book.rating !== null && { label: t('books.rating.librarian', { value: book.rating }) })}
                />
              </li>
            ))
          : Array.from({ length: SHOWN }, (_, index) => (
              <li key={index} className={classes.book} aria-hidden="true">
                <span className={classes.stand}>
                  <Skeleton className={classes.skeleton} radius={4} />
                </span>
                <Skeleton height={18} width="80%" mt="md" />
                <Skeleton height={14} width="55%" />
              </li>
            ))}
      </ul>
      <div className={classes.moves}>
        <ActionIcon variant="default" size={44} aria-label={t('books.popular.earlier')} onClick={() => move(-1)}>
          <ArrowLeft data-flips />
        </ActionIcon>
        <ActionIcon
          variant="default"
          size={44}
          aria-label={t('books.popular.more')}
          className={classes.more}
          onClick={() => move(1)}
        >
          <ArrowLeft data-flips />
        </ActionIcon>
      </div>
    </div>
  )
}

function linkTo(book: Book, role: Role | null): string {
  return role === 'admin' ? paths.bookDetail(book.id) : paths.studentBookDetail(book.id)
}

function Next({ role }: { role: Role | null }) {
  return role === null ? (
    <Button component={Link} to={paths.register()}>
      {t('books.popular.register')}
    </Button>
  ) : (
    <Button component={Link} to={homeOf(role)} variant="default">
      {t('books.popular.all')}
    </Button>
  )
}
