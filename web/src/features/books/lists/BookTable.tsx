import { Button } from '@mantine/core'
import { useQueries } from '@tanstack/react-query'
import { useSearchParams } from 'react-router'
import { bookCountsQuery, EVERY_BOOK, type BookSort } from '../../../api/books'
import type { Book } from '../../../api/types'
import { numberText } from '../../../lib/format'
import { t } from '../../../lib/messages'
import { BookLink } from '../../../ui/BookLink'
import { ResponsiveTable } from '../../../ui/ResponsiveTable'
import { ShowMore } from '../../../ui/ShowMore'

type BookTableProps = {
  query: Parameters<typeof ShowMore>[0]['query'] & {
    data: { pages: readonly { books: readonly Book[] }[] } | undefined
    isPlaceholderData: boolean
    isFetching: boolean
    hasPreviousPage: boolean
    isFetchingPreviousPage: boolean
    fetchPreviousPage: () => Promise<unknown>
  }
}

/** The catalogue as a table for librarians: where each title is, how many copies there are, and who waits (L26). */
export default function BookTable({ query }: BookTableProps) {
  const pages = query.data?.pages ?? []
  const order = useOrder()
  const counts = useQueries({
    queries: pages.map(({ books }) => bookCountsQuery(books.map(({ id }) => id))),
    combine: (found) => found.map(({ data }) => data),
  })
  const rows = pages.flatMap(({ books }, page) =>
    books.map((book) => ({ ...book, counts: counts[page]?.get(book.id) })),
  )
  return (
    <div data-stale={query.isPlaceholderData || undefined} aria-busy={query.isFetching}>
      {/* Pages far before the last one were dropped. */}
      {query.hasPreviousPage && (
        <Button
          variant="default"
          mb="md"
          loading={query.isFetchingPreviousPage}
          onClick={() => void query.fetchPreviousPage()}
        >
          {t('books.table.earlier')}
        </Button>
      )}
      <ResponsiveTable
        label={t('books.list.label')}
        dense
        rows={rows}
        keyOf={({ id }) => id}
        columns={[
          {
            title: t('books.table.title'),
            order: order('title'),
            cell: ({ id, title }) => <BookLink id={id} title={title} />,
          },
          {
            title: t('books.table.author'),
            order: order('author'),
            cell: ({ author }) => author && <span dir="auto">{author}</span>,
          },
          { title: t('books.table.shelf'), cell: ({ location }) => location && <span dir="auto">{location}</span> },
          { title: t('books.table.available'), align: 'end', cell: ({ noOfBooks }) => numberText(noOfBooks) },
          {
            title: t('books.table.copies'),
            align: 'end',
            cell: ({ counts: found }) => found && numberText(found.copies),
          },
          {
            title: t('books.table.waiting'),
            align: 'end',
            cell: ({ counts: found }) => (found?.waiting ? numberText(found.waiting) : null),
          },
        ]}
      />
      <ShowMore query={query} label={t('books.list.loadMore')} />
    </div>
  )
}

/** Returns a function that links a column to the list in its order. */
function useOrder() {
  const [params] = useSearchParams()
  const current = params.get('sort') ?? EVERY_BOOK.sort
  return (sort: BookSort) => {
    const to = new URLSearchParams(params)
    if (sort === EVERY_BOOK.sort) to.delete('sort')
    else to.set('sort', sort)
    return { direction: current === sort ? ('ascending' as const) : null, to: to.toString() }
  }
}
