import { Anchor, Button, Skeleton, Text } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useWindowVirtualizer, type Virtualizer } from '@tanstack/react-virtual'
import {
  memo,
  startTransition,
  useDeferredValue,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type KeyboardEvent,
  type ReactNode,
} from 'react'
import { BOOKS_PER_PAGE, bookListQuery, exactTotalQuery } from '../../../api/bookList'
import { EVERY_BOOK, type BookFilter, type BookSort } from '../../../api/books'
import { pagesBefore } from '../../../api/pages'
import type { Book } from '../../../api/types'
import { Chunk, lazyChunk } from '../../../lib/lazyChunk'
import { rich, t } from '../../../lib/messages'
import { BookCard } from './BookCard'
import { BookFilters, isNarrowed } from './BookFilters'
import { FilterButton } from './FilterButton'
import {
  columnsFor,
  countText,
  isPhone,
  layoutFor,
  mirrored,
  MOVES,
  indexAfterMove,
  rowHeight,
  type Layout,
  type Wide,
} from './bookGridRules'
import classes from './BookGrid.module.css'
import { EmptyState } from '../../../ui/EmptyState'
import { ErrorState } from '../../../ui/ErrorState'
import { NothingFound } from './NothingFound'
import { SimilarBooks } from './SimilarBooks'
import { TypedGenre } from './TypedGenre'

type BookGridProps = {
  filter: BookFilter
  /** Books in a row on a wide screen; fewer on narrow ones. */
  columns: Wide
  linkTo: (book: Book) => string
  /** For librarians: shows the number of copies on the shelf, and their location. */
  isShelved?: boolean
  /** `place` is the book's position in the list. */
  actions?: (book: Book, place: number) => ReactNode
  /** Shows a table instead of cards. */
  isTable?: boolean
  /** Offers controls for order, genre and availability. */
  filters?: boolean
  /** Order of the list while none is chosen. */
  usualSort?: BookSort
  /** Content below the first row of books, which it is passed. Must be stable across renders. */
  between?: ((above: readonly Book[]) => ReactNode) | undefined
  /** Says that the catalogue needs a connection, instead of a failure. */
  isOffline?: boolean
  /** Shown for an empty catalogue; a search without results has its own text. */
  empty: ReactNode
  /** Ways to other books, below a search that finds none. */
  elsewhere?: ReactNode
}

const BookTable = lazyChunk('book table', () => import('../lists/BookTable'))

const COLUMN_GAP = 24
const ROW_GAP = { tall: 40, wide: 32, slim: 12 }

function useBookList(filter: BookFilter) {
  return useInfiniteQuery(bookListQuery(filter))
}

/**
 * Returns the grid's width: first derived from the window, so that the first render has the right columns, then
 * measured.
 */
function useWidth() {
  const ref = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(() => {
    const gutter = Math.min(40, Math.max(16, window.innerWidth * 0.03))
    return Math.min(1440, window.innerWidth) - 2 * gutter
  })
  useLayoutEffect(() => {
    const element = ref.current
    if (!element) return
    const watcher = new ResizeObserver(([entry]) => {
      if (entry && entry.contentRect.width > 0) setWidth(entry.contentRect.width)
    })
    watcher.observe(element)
    return () => watcher.disconnect()
  }, [])
  return { ref, width }
}

/**
 * The catalogue as a virtual grid of cards: only rows near the window are rendered. Pages of the list are fetched in
 * both directions and distant ones dropped, so that a million books scroll like a hundred.
 */
export function BookGrid({
  filter,
  columns: wide,
  linkTo,
  isShelved = false,
  actions,
  isTable = false,
  filters = false,
  usualSort = EVERY_BOOK.sort,
  between,
  isOffline = false,
  empty,
  elsewhere,
}: BookGridProps) {
  const asked = useBookList(filter)
  const deferred = useDeferredValue(asked)
  // Rendering of the first page yields to typing. Pages requested by scrolling do not: scrolling would reach the end of
  // the list before they are rendered.
  const query = (asked.data?.pages.length ?? 0) > 1 ? asked : deferred
  const { ref, width } = useWidth()
  const layout = layoutFor(wide, width, filter.q !== '')
  const columns = columnsFor(wide, width, layout)
  const first = query.data?.pages[0]
  const similar = first && first.similar.length > 0 && (
    <SimilarBooks
      books={first.similar}
      isFirst={first.similarFirst}
      columns={columns}
      layout={layout}
      linkTo={linkTo}
      actions={actions}
      place={first.books.length}
      stale={query.isPlaceholderData}
    />
  )

  return (
    <section aria-label={t('books.list.label')}>
      <div className={classes.head}>
        {/* The number is of the words in the box at once; only the books are deferred. */}
        <Text role="status" c="dimmed" size="sm" className={classes.count}>
          {asked.isPlaceholderData
            ? t('books.list.searching')
            : asked.data?.pages[0] && <Count page={asked.data.pages[0]} filter={filter} />}
        </Text>
        {filters &&
          (query.data?.pages[0]?.total !== 0 || isNarrowed(filter)) &&
          (isPhone(width) ? (
            <FilterButton
              isSearch={filter.q !== ''}
              usualSort={usualSort}
              total={!asked.isPlaceholderData && asked.data?.pages[0]?.totalIsExact ? asked.data.pages[0].total : null}
            />
          ) : (
            <BookFilters isSearch={filter.q !== ''} usualSort={usualSort} />
          ))}
      </div>
      {filters && first && <TypedGenre filter={first.filter} />}
      {first?.similarFirst && similar}
      <div ref={ref}>
        {query.data ? (
          first?.total === 0 ? (
            first.filter.q !== '' || isNarrowed(first.filter) ? (
              <NothingFound filter={first.filter}>{!similar && elsewhere}</NothingFound>
            ) : (
              empty
            )
          ) : first?.books.length === 0 && first.filter.from !== '' ? (
            <EmptyState message={t('books.letters.none', { from: first.filter.from })} />
          ) : isTable ? (
            <Chunk part={BookTable} waiting={<SkeletonRow columns={1} layout="slim" rows={8} />}>
              <BookTable query={query} />
            </Chunk>
          ) : (
            <Rows
              query={query}
              columns={columns}
              width={width}
              layout={layout}
              linkTo={linkTo}
              isShelved={isShelved}
              actions={actions}
              between={between}
            />
          )
        ) : isOffline ? (
          <div role="status">
            <EmptyState message={t('books.list.offline')} />
          </div>
        ) : query.isError ? (
          <ErrorState error={query.error} onRetry={() => void query.refetch()} />
        ) : (
          <SkeletonRow columns={columns} layout={layout} rows={layout === 'tall' ? 2 : 5} />
        )}
      </div>
      {!first?.similarFirst && similar}
    </section>
  )
}

type Counted = { total: number; totalIsExact: boolean; meant: { words: string; fewer: boolean } | null }

/** Number of books, with the words that were searched instead if the typed ones match no book. */
function Count({ page, filter }: { page: Counted; filter: BookFilter }) {
  const { total, meant } = page
  if (!meant) return <Total page={page} filter={filter} />
  const params = { meant: meant.words, total, b: (words: ReactNode) => <b>{words}</b> }
  if (meant.fewer) return rich(page.totalIsExact ? 'books.list.fewer' : 'books.list.fewerMore', params)
  return (
    <>
      {rich('books.list.meant', { meant: meant.words, words: filter.q, b: params.b })} ·{' '}
      <Total page={page} filter={filter} />
    </>
  )
}

/** Number of books; if the server stopped counting at a thousand, a button requests the exact number. */
function Total({ page, filter }: { page: { total: number; totalIsExact: boolean }; filter: BookFilter }) {
  const asked = JSON.stringify(filter)
  const [counted, setCounted] = useState<string | null>(null)
  const exact = useQuery({ ...exactTotalQuery(filter), enabled: counted === asked && !page.totalIsExact })
  if (page.totalIsExact) return countText(page, filter.q)
  if (exact.data !== undefined && counted === asked) {
    return countText({ total: exact.data, totalIsExact: true }, filter.q)
  }
  return (
    <>
      {countText(page, filter.q)}{' '}
      <Anchor component="button" type="button" inherit disabled={exact.isFetching} onClick={() => setCounted(asked)}>
        {t('books.list.countAll')}
      </Anchor>
    </>
  )
}

type RowsProps = {
  query: ReturnType<typeof useBookList>
  columns: number
  width: number
  layout: Layout
  linkTo: (book: Book) => string
  isShelved: boolean
  actions: BookGridProps['actions']
  between: BookGridProps['between']
}

/**
 * Last measured height of the first row with `between`. The scroll position of returning readers depends on this height.
 */
const firstRow = { height: 0 }

/**
 * Returns a row's height as its observer saw it, else the last or expected one: to read it from a row that was just
 * inserted would force a layout.
 */
function heightSeen(row: Element, entry: ResizeObserverEntry | undefined, rows: Virtualizer<Window, Element>): number {
  const seen = entry?.borderBoxSize[0]
  if (seen) return Math.round(seen.blockSize)
  const index = rows.indexFromElement(row)
  return rows.itemSizeCache.get(rows.options.getItemKey(index)) ?? rows.options.estimateSize(index)
}

/** Rows rendered outside the window on either side. */
const OVERSCAN = 2

/** True after the first paint; content outside the window is rendered only then. */
function usePainted(): boolean {
  const [painted, setPainted] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => startTransition(() => setPainted(true)))
    return () => clearTimeout(timer)
  }, [])
  return painted
}

const Rows = memo(function Rows({ query, columns, width, layout, linkTo, isShelved, actions, between }: RowsProps) {
  const list = useRef<HTMLDivElement>(null)
  const [top, setTop] = useState(0)
  const pages = query.data
  const books = useMemo(() => pages?.pages.flatMap((page) => page.books) ?? [], [pages])
  const painted = usePainted()
  // Pages far before the window were dropped; their rows still take up space, so that the list does not jump.
  const before = pagesBefore(pages) * BOOKS_PER_PAGE
  const known = before + books.length
  const first = pages?.pages[0]
  // The total counts the books before the letter at which the list begins, too.
  const setSize = first?.totalIsExact && first.filter.from === '' ? first.total : -1

  const columnWidth = (width - (columns - 1) * COLUMN_GAP) / columns
  const height = rowHeight(layout, columnWidth, { withActions: actions !== undefined, isShelved }) + ROW_GAP[layout]

  useLayoutEffect(() => {
    setTop((list.current?.getBoundingClientRect().top ?? 0) + window.scrollY)
  }, [columns])

  const virtual = useWindowVirtualizer({
    count: Math.ceil(known / columns),
    estimateSize: (row) => (row === 0 && between && firstRow.height > 0 ? firstRow.height : height),
    overscan: painted ? OVERSCAN : 0,
    scrollMargin: top,
    measureElement: heightSeen,
  })
  const rows = virtual.getVirtualItems()
  const topRow = rows[0]?.index ?? 0
  const lastRow = rows.at(-1)?.index ?? 0

  const { hasNextPage, hasPreviousPage, isFetching, isError, fetchNextPage, fetchPreviousPage, isPlaceholderData } =
    query

  /** Repeats the request that failed: previous page, next page, or list. */
  function retry() {
    if (query.isFetchPreviousPageError) void fetchPreviousPage()
    else if (query.isFetchNextPageError) void fetchNextPage()
    else void query.refetch()
  }

  useEffect(() => {
    if (between && painted && rows[0]?.index === 0) firstRow.height = rows[0].size
  })

  const idle = !isFetching && !isError && !isPlaceholderData
  const nearEnd = idle && hasNextPage && (lastRow + 2) * columns >= known
  const nearStart = idle && hasPreviousPage && (topRow - 1) * columns < before
  useEffect(() => {
    if (nearEnd) void fetchNextPage()
  }, [nearEnd, fetchNextPage])
  useEffect(() => {
    if (nearStart) void fetchPreviousPage()
  }, [nearStart, fetchPreviousPage])

  function focusBook(index: number) {
    virtual.scrollToIndex(Math.floor(index / columns), { align: 'auto' })
    let tries = 30
    const focus = () => {
      const link = list.current?.querySelector<HTMLElement>(`[data-index="${index}"] [data-result]`)
      if (link) link.focus({ preventScroll: false })
      else if (tries-- > 0) requestAnimationFrame(focus)
    }
    focus()
  }

  function onKeyDown(event: KeyboardEvent) {
    const move = MOVES[event.key]
    if (!move || !(event.target instanceof Element) || !event.target.matches('[data-result]')) return
    const item = event.target.closest('[data-index]')
    const index = Number(item?.getAttribute('data-index'))
    const next = indexAfterMove(index, document.documentElement.dir === 'rtl' ? mirrored(move) : move, columns, known)
    if (next === null) return
    event.preventDefault()
    focusBook(next)
  }

  return (
    <>
      {/* The list only handles arrow keys that bubble up from its links. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
      <div
        ref={list}
        role="list"
        aria-busy={isFetching}
        className={classes.list}
        data-stale={isPlaceholderData || undefined}
        style={{ height: virtual.getTotalSize() }}
        onKeyDown={onKeyDown}
      >
        {rows.map((row) => (
          <Row
            key={row.key}
            measure={virtual.measureElement}
            row={row.index}
            start={row.start - top}
            columns={columns}
            layout={layout}
            books={books}
            before={before}
            setSize={setSize}
            linkTo={linkTo}
            isShelved={isShelved}
            actions={actions}
            between={painted && row.index === 0 ? between : undefined}
          />
        ))}
      </div>
      {isError && (
        <div className={classes.failed}>
          <ErrorState error={query.error} onRetry={retry} />
        </div>
      )}
      {hasNextPage && !isError && (
        <div className={classes.more}>
          <Button variant="default" loading={query.isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {t('books.list.loadMore')}
          </Button>
        </div>
      )}
    </>
  )
})

type RowProps = Pick<RowsProps, 'columns' | 'layout' | 'linkTo' | 'isShelved' | 'actions' | 'between'> & {
  measure: (element: HTMLElement | null) => void
  row: number
  /** Pixels from the top of the list. */
  start: number
  books: readonly Book[]
  /** Number of books before the first of `books`. */
  before: number
  setSize: number
}

/** A row of cards, or of outlines while its page is not loaded. */
const Row = memo(function Row(props: RowProps) {
  const { measure, row, start, columns, layout, books, before, setSize, linkTo, isShelved, actions, between } = props
  return (
    <div
      ref={measure}
      data-index={row}
      role="presentation"
      className={classes.row}
      data-layout={layout}
      style={{ gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`, transform: `translateY(${start}px)` }}
    >
      {Array.from({ length: columns }, (_, column) => {
        const index = row * columns + column
        const book = books[index - before]
        if (index >= before + books.length) return null
        return (
          <div
            key={book?.id ?? -index}
            role="listitem"
            data-index={index}
            aria-setsize={setSize}
            aria-posinset={index + 1}
          >
            {book ? (
              <BookCard
                book={book}
                to={linkTo(book)}
                layout={layout}
                eager={index < columns * 2}
                actions={actions?.(book, index)}
                isShelved={isShelved}
              />
            ) : (
              <CardSkeleton layout={layout} />
            )}
          </div>
        )
      })}
      {between && (
        <div role="listitem" className={classes.between}>
          {between(books.slice(0, Math.max(0, columns - before)))}
        </div>
      )}
    </div>
  )
})

function SkeletonRow({ columns, rows, layout }: { columns: number; rows: number; layout: Layout }) {
  return (
    <div
      className={classes.row}
      data-layout={layout}
      style={{
        position: 'static',
        gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`,
        rowGap: ROW_GAP[layout],
      }}
      aria-hidden="true"
    >
      {Array.from({ length: columns * rows }, (_, index) => (
        <CardSkeleton key={index} layout={layout} />
      ))}
    </div>
  )
}

function CardSkeleton({ layout }: { layout: Layout }) {
  return (
    <div className={classes.skeleton} data-layout={layout} aria-hidden="true">
      <Skeleton className={classes.skeletonCover} radius={4} />
      <div className={classes.skeletonWords}>
        <Skeleton height={18} width="90%" />
        <Skeleton height={18} width="55%" />
        <Skeleton height={14} width="70%" />
        <Skeleton height={20} width="45%" />
      </div>
    </div>
  )
}
