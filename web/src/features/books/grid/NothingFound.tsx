import { Button } from '@mantine/core'
import type { MouseEvent, ReactNode } from 'react'
import { useSearchParams } from 'react-router'
import type { BookFilter } from '../../../api/books'
import { focusSearch } from '../../../lib/focus'
import { t } from '../../../lib/messages'
import { useParamsNow } from '../../../lib/paramsNow'
import { EmptyState } from '../../../ui/EmptyState'
import { genreName } from '../genre'
import { isNarrowed } from './BookFilters'
import { focusHeadingFrom } from './focusHeadingFrom'
import classes from './NothingFound.module.css'

type Props = {
  filter: BookFilter
  /** Further ways on. */
  children: ReactNode
}

/** Shown if no book matches the search or the filters: says what to try, and clears either of them. */
export function NothingFound({ filter, children }: Props) {
  const { q, genre, available } = filter
  const [, setParams] = useSearchParams()
  const paramsNow = useParamsNow()
  const isGenre = q !== '' && genre !== '' && !available

  function clear(...names: string[]) {
    const after = paramsNow()
    for (const name of names) after.delete(name)
    // Pushes a history entry instead of replacing it, because the search box ignores replacements.
    setParams(after)
  }

  function clearFilters({ currentTarget }: MouseEvent<HTMLButtonElement>) {
    clear('genre', 'available')
    focusHeadingFrom(currentTarget)
  }

  function clearSearch() {
    clear('q')
    focusSearch()
  }

  return (
    <EmptyState
      message={
        isGenre
          ? t('books.filter.nothingIn', { words: q, genre: genreName(genre) })
          : isNarrowed(filter)
            ? t('books.filter.nothing')
            : t('books.list.nothing', { words: q })
      }
      action={
        <>
          <div className={classes.ways}>
            {isNarrowed(filter) && (
              <Button variant="default" onClick={clearFilters}>
                {t(isGenre ? 'books.filter.searchAll' : 'books.filter.clear')}
              </Button>
            )}
            {q !== '' && (
              <Button variant="default" onClick={clearSearch}>
                {t('books.list.clearSearch')}
              </Button>
            )}
          </div>
          {children}
        </>
      }
    />
  )
}
