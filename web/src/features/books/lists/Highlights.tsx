import { Anchor, Button, Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useDeferredValue, useId, type ReactNode } from 'react'
import { Link } from 'react-router'
import { sessionQuery } from '../../../api/account'
import { useIsOffline } from '../../../api/connection'
import { highlightsQuery } from '../../../api/newest'
import { myLoansQuery } from '../../../api/loans'
import type { Book } from '../../../api/types'
import { rich, t } from '../../../lib/messages'
import { paths } from '../../../screens'
import { messageOf } from '../../../lib/problem'
import { BookCover } from '../grid/BookCover'
import { Carousel } from './Carousel'
import classes from './Highlights.module.css'
import { OwnBooks } from './OwnBooks'
import { showWhole } from './showWhole'

/** Maximum number of covers on a slide; those that do not fit are reached by scrolling. */
const SHOWN = 12

/** Slides above the catalogue (R-STU-1): new books, the librarians' favourites, and the reader's own loans. */
export function Highlights() {
  // Arriving covers yield to user input.
  const books = useDeferredValue(useQuery(highlightsQuery).data)?.books
  const best = books?.filter((book) => book.rating === 5)

  return (
    <Carousel
      label={t('books.slides.label')}
      slides={[
        {
          name: t('books.slides.newest'),
          interval: 1000,
          content: (
            <Covers title={t('books.slides.newest')} books={books?.slice(0, SHOWN)} none={t('books.slides.noneNew')} />
          ),
        },
        {
          name: t('books.slides.best'),
          interval: 500,
          content: (
            <Covers
              title={t('books.slides.best')}
              books={best?.slice(0, SHOWN)}
              none={t('books.slides.noneBest')}
              more={
                <Anchor component={Link} to={paths.newHome()} size="sm">
                  {t('books.slides.seePopular')}
                </Anchor>
              }
            />
          ),
        },
        // The slide with a text to read is shown longest.
        { name: t('books.slides.yours'), interval: 5000, content: <YourBooks /> },
      ]}
    />
  )
}

type CoversProps = {
  title: string
  /** Undefined while loading. */
  books: readonly Book[] | undefined
  /** Text shown if there are no books. */
  none: string
  more?: ReactNode
}

function Covers({ title, books, none, more }: CoversProps) {
  const { isError, error, refetch } = useQuery(highlightsQuery)
  const isOffline = useIsOffline()
  return (
    <div className={classes.slide}>
      <div className={classes.beside}>
        <h2 className={classes.title}>{title}</h2>
        {more && <span className={books?.length === 0 ? undefined : classes.more}>{more}</span>}
      </div>
      {books ? (
        books.length > 0 ? (
          <CoverRow books={books} more={more} />
        ) : (
          <p className={classes.text}>{none}</p>
        )
      ) : isOffline ? (
        <p className={classes.text}>{t('books.list.offline')}</p>
      ) : isError ? (
        <div className={classes.failed} role="alert">
          <p className={classes.text}>{messageOf(error)}</p>
          <Button variant="default" size="sm" onClick={() => void refetch()}>
            {t('common.retry')}
          </Button>
        </div>
      ) : (
        <div className={classes.covers} aria-hidden="true">
          {Array.from({ length: SHOWN }, (_, index) => (
            <Skeleton key={index} className={classes.skeleton} radius={4} />
          ))}
        </div>
      )}
    </div>
  )
}

function CoverRow({ books, more }: { books: readonly Book[]; more: ReactNode }) {
  return (
    <ul className={classes.covers}>
      {books.map((book) => (
        <li key={book.id} className={classes.cover}>
          <Link
            to={paths.studentBookDetail(book.id)}
            className={classes.coverLink}
            title={book.title}
            onFocus={showWhole}
          >
            <BookCover book={book} alone />
          </Link>
        </li>
      ))}
      {more && <li className={classes.last}>{more}</li>}
    </ul>
  )
}

/** The reader's open loans with their due dates, after a sentence about them. */
function YourBooks() {
  const name = useQuery(sessionQuery).data?.user?.name.split(' ')[0]
  const { data, isError, error, refetch } = useQuery(myLoansQuery)
  const loans = data?.loans
  const hasBooks = data !== undefined && data.loans.length > 0
  const reason = useId()
  const isOffline = useIsOffline() && hasBooks
  return (
    <div className={classes.slide} data-offline={isOffline || undefined}>
      <div className={hasBooks ? classes.beside : classes.words}>
        <h2 className={classes.title}>{name ? t('books.slides.hello', { name }) : t('books.slides.welcome')}</h2>
        {isOffline ? (
          <p id={reason} className={classes.text}>
            {t('books.slides.offline')}
          </p>
        ) : loans ? (
          <p className={classes.text} data-beside-books={hasBooks || undefined}>
            {hasBooks
              ? rich(loans.some(({ fine }) => fine > 0) ? 'books.slides.toDesk' : 'books.slides.toProfile', {
                  link: (words) => <Link to={paths.profile()}>{words}</Link>,
                })
              : t('books.slides.none')}
          </p>
        ) : isError ? (
          <div className={classes.failed} role="alert">
            <p className={classes.text}>{messageOf(error)}</p>
            <Button variant="default" size="sm" onClick={() => void refetch()}>
              {t('common.retry')}
            </Button>
          </div>
        ) : (
          <Skeleton height={20} mt="sm" width="100%" />
        )}
      </div>
      {hasBooks && <OwnBooks loans={data.loans} today={data.today} refusedBy={isOffline ? reason : undefined} />}
    </div>
  )
}
