import { Anchor, Badge, Button, Skeleton, Text, Title, VisuallyHidden } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState, type MouseEvent, type ReactNode } from 'react'
import { Link, useNavigate } from 'react-router'
import { bookQuery } from '../../../api/books'
import { ProblemError } from '../../../lib/problem'
import type { BookDetail, Review } from '../../../api/types'
import { genreName } from '../genre'
import { BookCover } from '../grid/BookCover'
import { ErrorState } from '../../../ui/ErrorState'
import { dayText, moneyText, numberText } from '../../../lib/format'
import { t } from '../../../lib/messages'
import { ArrowLeft } from 'lucide-react'
import { Stars } from '../../../ui/Stars'
import { useTitle } from '../../../lib/title'
import { averageText, languageName, paragraphsOf, titleSize } from './bookRules'
import classes from './BookPage.module.css'
import { Clamped } from './Clamped'
import { homeAsLeft } from './homeAsLeft'
import { AlsoBorrowed, MoreBy } from './OtherBooks'
import { Reviews } from './Reviews'

/** Maximum length of a search. */
const LONGEST_SEARCH = 200

type BookPageProps = {
  /** Null if the address contains no valid id. */
  id: number | null
  /** Target of `Back to Home`. */
  home: string
  /** Address of another book's page. */
  linkTo: (id: number) => string
  /** Address of the book search; null for visitors. */
  search: string | null
  /** The main action, beside the availability. */
  action: (book: BookDetail) => ReactNode
  /** Shows copies, next due date, price and location, for librarians. */
  forLibrarian?: boolean
  /** Content between the details and the reviews. */
  panel?: (book: BookDetail) => ReactNode
  /** The reader's own review, or the form for one. */
  ownReview?: (review: Review | null) => ReactNode
  /** Shown to visitors, who cannot review. */
  writeReview?: ReactNode
}

/** A book: cover, details, availability and reviews (R-DETAIL-1, R-DETAIL-2). */
export function BookPage({ id, home, ...rest }: BookPageProps) {
  const navigate = useNavigate()
  const [left] = useState(() => homeAsLeft(home))
  // After sign-out the reader has another home: the previous address is used only if it belongs to the current home.
  const before = left?.startsWith(home) ? left : null
  // Going back in the history restores the list's scroll position.
  const goBack = (event: MouseEvent) => {
    if (before === null || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    void navigate(-1)
  }
  return (
    <>
      <Button
        component={Link}
        to={before ?? home}
        onClick={goBack}
        variant="subtle"
        color="gray"
        size="compact-md"
        leftSection={<ArrowLeft data-flips />}
        className={classes.back}
      >
        {t('books.detail.back')}
      </Button>
      <div className={classes.room}>
        {id === null ? <Missing home={home} /> : <Loaded id={id} home={home} {...rest} />}
      </div>
    </>
  )
}

function Loaded({ id, home, ...rest }: BookPageProps & { id: number }) {
  const { data, error, refetch } = useQuery(bookQuery(id))
  useEffect(() => {
    if (error) console.error('The book could not be loaded.', error)
  }, [error])

  if (error instanceof ProblemError && error.status === 404) return <Missing home={home} />
  if (data) return <Found book={data.book} {...rest} />
  if (error) {
    return (
      <>
        <VisuallyHidden component="h1">{t('books.detail.book')}</VisuallyHidden>
        <ErrorState error={error} onRetry={() => void refetch()} />
      </>
    )
  }
  return (
    <>
      {/* Not an h1: after navigation the first h1 gets the focus, and that must be the book's title. */}
      <VisuallyHidden role="heading" aria-level={1}>
        {t('books.detail.loading')}
      </VisuallyHidden>
      <BookSkeleton />
    </>
  )
}

type FoundProps = { book: BookDetail } & Omit<BookPageProps, 'id' | 'home'>

function Found({ book, linkTo, action, search, forLibrarian = false, panel, ownReview, writeReview }: FoundProps) {
  useTitle(book.title)
  const paragraphs = paragraphsOf(book.description)

  return (
    <article className={classes.page} data-title={titleSize(book.title)}>
      <div className={classes.cover}>
        <BookCover book={book} alone eager />
      </div>
      <div className={classes.head}>
        <Clamped
          key={`title ${book.title}`}
          lines={6}
          more={t('books.detail.wholeTitle')}
          less={t('books.detail.shortenTitle')}
          wrap={(words) => (
            <Title order={1} tabIndex={-1} dir="auto" className={classes.title}>
              {words}
            </Title>
          )}
        >
          {book.title}
        </Clamped>
        <Clamped
          key={`author ${book.author}`}
          lines={3}
          more={t('books.detail.wholeAuthors')}
          less={t('books.detail.shortenAuthors')}
          wrap={(words) => (
            <div className={classes.author} dir="auto" data-long={book.author.length > 120 || undefined}>
              {words}
            </div>
          )}
        >
          {book.author && search !== null ? (
            <Link
              to={`${search}?q=${encodeURIComponent(book.author.slice(0, LONGEST_SEARCH))}`}
              title={t('books.detail.searchAuthor', { author: book.author })}
              className={classes.authorLink}
            >
              {book.author}
            </Link>
          ) : (
            book.author || t('books.unknownAuthor')
          )}
        </Clamped>
        <dl className={classes.ratings}>
          {book.averageRating !== null && (
            <div>
              <dt>{t('books.detail.readers')}</dt>
              <dd>
                <Stars value={book.averageRating} size={18} />
                <span className="tabular">{averageText(book.averageRating)}</span>
                <Anchor href="#reviews" size="sm">
                  {t('books.reviews.count', { count: book.reviewCount })}
                </Anchor>
              </dd>
            </div>
          )}
          {book.rating !== null && (
            <div>
              <dt>{t('books.detail.librarianRating')}</dt>
              <dd>
                <Stars value={book.rating} size={18} />
              </dd>
            </div>
          )}
        </dl>
        <Badge color="gray" size="lg" className={classes.genre} title={genreName(book.genre) || undefined} dir="auto">
          {genreName(book.genre) || t('books.detail.genreUnknown')}
        </Badge>
      </div>
      <div className={classes.facts}>
        <div className={classes.action}>{action(book)}</div>
        <dl className={classes.details}>
          {forLibrarian && <Stock book={book} />}
          {book.callNumber !== '' && <Detail name={t('books.detail.callNumber')}>{book.callNumber}</Detail>}
          {book.publisher !== '' && <Detail name={t('books.detail.publisher')}>{book.publisher}</Detail>}
          {book.edition !== '' && <Detail name={t('books.detail.edition')}>{book.edition}</Detail>}
          {book.publishedYear !== null && (
            <Detail name={t('books.detail.published')}>
              <span className="tabular">{book.publishedYear}</span>
            </Detail>
          )}
          {book.language !== null && <Detail name={t('books.detail.language')}>{languageName(book.language)}</Detail>}
          {book.isbn !== null && (
            <Detail name={t('books.detail.isbn')}>
              <span className="tabular">{book.isbn}</span>
            </Detail>
          )}
        </dl>
        <section className={classes.description} aria-labelledby="description">
          <Title order={2} id="description">
            {t('books.detail.description')}
          </Title>
          {paragraphs.length === 0 ? (
            <Text c="dimmed">{t('books.detail.notKnown')}</Text>
          ) : (
            paragraphs.map((paragraph, index) => (
              // Paragraphs have no identity and never change places.
              // oxlint-disable-next-line react/no-array-index-key
              <p key={index} dir="auto">
                {paragraph}
              </p>
            ))
          )}
        </section>
      </div>
      {panel?.(book)}
      <Reviews bookId={book.id} own={ownReview} write={writeReview} />
      <div className={classes.others}>
        <AlsoBorrowed book={book} linkTo={linkTo} />
        <MoreBy book={book} linkTo={linkTo} />
      </div>
    </article>
  )
}

/** Numbers of copies, next due date, price and location, for librarians. */
function Stock({ book }: { book: BookDetail }) {
  return (
    <>
      <Detail name={t('books.detail.numberAvailable')}>
        <span className="tabular">{numberText(book.noOfBooks)}</span>
      </Detail>
      <Detail name={t('books.detail.copies')}>
        <span className="tabular">{numberText(book.copies)}</span>
      </Detail>
      {book.nextDue !== null && <Detail name={t('books.detail.nextDue')}>{dayText(book.nextDue)}</Detail>}
      {book.price !== null && <Detail name={t('books.detail.price')}>{moneyText(book.price)}</Detail>}
      <Detail name={t('books.detail.location')}>{book.location || t('books.detail.notKnown')}</Detail>
    </>
  )
}

function Detail({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd dir="auto">{children}</dd>
    </div>
  )
}

function Missing({ home }: { home: string }) {
  useTitle(t('books.detail.missing'))
  return (
    <div className={classes.missing}>
      <Title order={1} tabIndex={-1}>
        {t('books.detail.missing')}
      </Title>
      <Text c="dimmed">{t('books.detail.missingWhy')}</Text>
      <Button component={Link} to={home}>
        {t('books.detail.find')}
      </Button>
    </div>
  )
}

function BookSkeleton() {
  return (
    <div className={classes.page} aria-hidden="true">
      <div className={classes.cover}>
        <Skeleton className={classes.skeletonCover} radius={4} />
      </div>
      <div className={classes.skeletonLines}>
        <Skeleton height={32} width="70%" />
        <Skeleton height={24} width="40%" />
        <Skeleton height={20} width="30%" />
        <Skeleton height={36} width={140} />
        <Skeleton height={120} mt="lg" />
      </div>
    </div>
  )
}
