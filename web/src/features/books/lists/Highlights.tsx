import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { rich, t } from '../../../lib/messages'
import { sessionQuery } from '../../../api/account'
import { highlightsQuery } from '../../../api/books'
import type { Book } from '../../../api/types'
import { paths } from '../../../lib/paths'
import { BookCover } from '../grid/BookCover'
import { Carousel } from './Carousel'
import classes from './Highlights.module.css'

/** Covers of a slide; a narrow screen shows as many as fit. */
const SHOWN = 12

/** In rupees. */
const FINE_A_DAY = 5

/** The three slides above the catalogue: a word about loans, what the librarians like best, what is new. */
export function Highlights() {
  const books = useQuery(highlightsQuery).data?.books ?? []
  const name = useQuery(sessionQuery).data?.user?.name.split(' ')[0]
  const best = books.filter((book) => book.rating === 5)

  return (
    <Carousel
      label={t('books.highlights.label')}
      slides={[
        {
          name: t('books.highlights.loans'),
          interval: 1000,
          content: (
            <Words
              title={name ? t('books.highlights.hello', { name }) : t('books.highlights.welcome')}
              books={books.slice(SHOWN, 2 * SHOWN)}
            >
              {rich('books.highlights.rule', {
                fine: FINE_A_DAY,
                link: (words) => <Link to={paths.profile()}>{words}</Link>,
              })}
            </Words>
          ),
        },
        {
          name: t('books.highlights.best'),
          interval: 500,
          content: <Covers title={t('books.highlights.best')} books={best.slice(0, SHOWN)} />,
        },
        {
          name: t('books.highlights.new'),
          interval: 5000,
          content: <Covers title={t('books.highlights.new')} books={books.slice(0, SHOWN)} />,
        },
      ]}
    />
  )
}

function Words({ title, children, books }: { title: string; children: ReactNode; books: readonly Book[] }) {
  return (
    <div className={classes.slide}>
      <div className={classes.words}>
        <h2 className={classes.title}>{title}</h2>
        <p className={classes.text}>{children}</p>
      </div>
      <CoverRow books={books} />
    </div>
  )
}

function Covers({ title, books }: { title: string; books: readonly Book[] }) {
  return (
    <div className={classes.slide}>
      <h2 className={`${classes.title} ${classes.beside}`}>{title}</h2>
      <CoverRow books={books} />
    </div>
  )
}

function CoverRow({ books }: { books: readonly Book[] }) {
  return (
    <ul className={classes.covers}>
      {books.map((book) => (
        <li key={book.id} className={classes.cover}>
          <Link to={paths.studentBookDetail(book.id)} className={classes.coverLink}>
            <BookCover book={book} alone eager />
          </Link>
        </li>
      ))}
    </ul>
  )
}
