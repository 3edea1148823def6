import { Title } from '@mantine/core'
import { useId, type ReactNode } from 'react'
import type { Book, SimilarBook } from '../../../api/types'
import { quoted } from '../../../lib/format'
import { t } from '../../../lib/messages'
import { BookCard } from './BookCard'
import type { Layout } from './bookGridRules'
import classes from './SimilarBooks.module.css'

type SimilarBooksProps = {
  books: readonly SimilarBook[]
  /** True if the section is above the matches. */
  isFirst: boolean
  columns: number
  layout: Layout
  linkTo: (book: Book) => string
  actions: ((book: Book, place: number) => ReactNode) | undefined
  /** Position of the first similar book, which follows the matches. */
  place: number
  /** True while the next search is pending: the books still belong to the previous one. */
  stale: boolean
}

/** Books that match the search in another spelling; each names the matching word. */
export function SimilarBooks({ books, isFirst, columns, layout, linkTo, actions, place, stale }: SimilarBooksProps) {
  const heading = useId()
  return (
    <section
      aria-labelledby={heading}
      className={classes.similar}
      data-first={isFirst || undefined}
      data-stale={stale || undefined}
    >
      <Title order={2} id={heading} className={classes.heading}>
        {t('books.similar.title')}
      </Title>
      <ul
        className={classes.list}
        data-layout={layout}
        style={{ gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))` }}
      >
        {books.map((book, index) => (
          <li key={book.id}>
            <BookCard
              book={book}
              to={linkTo(book)}
              layout={layout}
              heading="h3"
              {...(book.spelled.length > 0 && {
                note: t('books.similar.spelled', { words: book.spelled.map(quoted).join(', ') }),
              })}
              actions={actions?.(book, place + index)}
            />
          </li>
        ))}
      </ul>
    </section>
  )
}
