import { ActionIcon, Anchor } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { ArrowLeft } from 'lucide-react'
import { useEffect, useRef, useState, type MouseEvent } from 'react'
import { useQuery } from '@tanstack/react-query'
import { Link, useSearchParams } from 'react-router'
import { sessionQuery } from '../../../api/account'
import { BROWSED } from '../../../api/bookList'
import { EVERY_BOOK } from '../../../api/books'
import { useIsOffline } from '../../../api/connection'
import type { Book } from '../../../api/types'
import { Chunk, lazyChunk } from '../../../lib/lazyChunk'
import { t } from '../../../lib/messages'
import { paths } from '../../../screens'
import { BookGrid } from '../grid/BookGrid'
import { isNarrowed, useNarrowing } from '../grid/BookFilters'
import { focusHeadingFrom } from '../grid/focusHeadingFrom'
import { GenreChips, GenreLinks } from '../grid/GenreChips'
import { loadUrgentNotices } from '../../notices'
import { EmptyState } from '../../../ui/EmptyState'
import { PageHeader } from '../../../ui/PageHeader'
import { SearchBox, useSearchText } from '../../../ui/SearchBox'
import { Highlights } from './Highlights'
import classes from './StudentHomeScreen.module.css'

const Shelves = lazyChunk('shelves', () => import('./Shelves'))
const UrgentNotices = lazyChunk('urgent-notices', loadUrgentNotices)

const shelves = (above: readonly Book[]) => (
  <Chunk part={Shelves}>
    <Shelves above={above} />
  </Chunk>
)

const elsewhere = <Elsewhere />

export { readEarlyBooks } from './earlyBooks'

const linkTo = (book: Book) => paths.studentBookDetail(book.id)

export default function StudentHomeScreen() {
  const q = useSearchText()
  const usualSort = q === '' ? BROWSED.sort : EVERY_BOOK.sort
  const [narrowing] = useNarrowing(usualSort)
  const hasNotices = (useQuery(sessionQuery).data?.unreadNotices ?? 0) > 0
  // On a phone the genres are in the sheet of filters; here they would push the first cover out of view.
  const isWide = useMediaQuery('(min-width: 48em)', true, { getInitialValueInEffect: false })
  const { focused, leave, ...box } = useBoxFocus()
  // During a search on a phone only the box and the results are shown.
  const searching = q !== '' || focused
  return (
    <div className={classes.home} data-searching={searching || undefined}>
      <div className={classes.search}>
        <PageHeader title={t('books.student.title')}>
          <div className={classes.box} {...box}>
            <span className={classes.hint} aria-hidden="true">
              {t('books.search.placeholder')}
            </span>
            {searching && <CloseSearch onClose={leave} />}
            <SearchBox label={t('books.search.label')} placeholder={t('books.search.placeholder')} />
          </div>
        </PageHeader>
        {isWide && (
          <div className={classes.genres}>
            <GenreChips />
          </div>
        )}
      </div>
      {q === '' && !isNarrowed(narrowing) && hasNotices && (
        <Chunk part={UrgentNotices}>
          <UrgentNotices />
        </Chunk>
      )}
      {q === '' && !isNarrowed(narrowing) && (
        <div className={classes.highlights}>
          <Highlights />
        </div>
      )}
      <BookGrid
        filter={{ q, field: 'any', ...narrowing }}
        columns={6}
        filters
        usualSort={usualSort}
        linkTo={linkTo}
        between={q === '' && !isNarrowed(narrowing) && narrowing.sort === usualSort ? shelves : undefined}
        isOffline={useIsOffline()}
        empty={<EmptyState message={t('books.student.empty')} />}
        elsewhere={elsewhere}
      />
    </div>
  )
}

/** Ways to other books: the commonest genres and the popular books. */
function Elsewhere() {
  return (
    <div className={classes.elsewhere}>
      <GenreLinks />
      <Anchor component={Link} to={paths.newHome()}>
        {t('books.popular.title')}
      </Anchor>
    </div>
  )
}

/** Leaves the search and shows the whole home again; on phones only. */
function CloseSearch({ onClose }: { onClose: () => void }) {
  const [params, setParams] = useSearchParams()

  function close({ currentTarget }: MouseEvent<HTMLButtonElement>) {
    onClose()
    focusHeadingFrom(currentTarget)
    if (!params.has('q')) return
    // Pushes a history entry instead of replacing it, because the search box ignores replacements.
    setParams((before) => {
      const after = new URLSearchParams(before)
      after.delete('q')
      return after
    })
  }

  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size={44}
      className={classes.close}
      aria-label={t('books.search.close')}
      onClick={close}
    >
      <ArrowLeft data-flips />
    </ActionIcon>
  )
}

/** Delay after the box loses the focus, milliseconds: the press that took the focus must reach its target first. */
const LEAVING_MS = 200

/**
 * Tracks whether the search box was pressed and has the focus, or lost it a moment ago. A box reached with Tab hides
 * nothing: the next Tab goes on to the slides.
 */
function useBoxFocus() {
  const [focused, setFocused] = useState(false)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  return {
    focused,
    leave: () => setFocused(false),
    onFocus: () => clearTimeout(timer.current),
    onClick: ({ target }: MouseEvent) => {
      if (target instanceof HTMLInputElement) setFocused(true)
    },
    onBlur: () => {
      clearTimeout(timer.current)
      timer.current = setTimeout(() => setFocused(false), LEAVING_MS)
    },
  }
}
