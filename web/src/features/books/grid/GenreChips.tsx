import { Text, UnstyledButton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { genresQuery } from '../../../api/books'
import { t } from '../../../lib/messages'
import { genreName } from '../genre'
import { useNarrowing } from './BookFilters'
import { focusHeadingFrom } from './focusHeadingFrom'
import classes from './GenreChips.module.css'

/** Maximum number of genres offered; more would take a second line. */
const MOST = 8

/** Returns the commonest genres; null in a library with a single one, which would not narrow the list. */
function useCommonGenres() {
  const { data, isPending } = useQuery(genresQuery)
  const common = (data ?? []).toSorted((one, other) => other.books - one.books).slice(0, MOST)
  return !isPending && common.length < 2 ? null : common
}

/** The commonest genres: one press narrows the list to a genre, another press clears it. */
export function GenreChips() {
  const [{ genre: chosen }, set] = useNarrowing()
  const common = useCommonGenres()
  if (common === null) return null
  return (
    <div className={classes.chips} role="group" aria-label={t('books.filter.commonest')}>
      {common.map(({ genre }) => (
        <UnstyledButton
          key={genre}
          className={classes.chip}
          dir="auto"
          aria-pressed={genre === chosen}
          onClick={() => set({ genre: genre === chosen ? '' : genre })}
        >
          {genreName(genre)}
        </UnstyledButton>
      ))}
    </div>
  )
}

/** The commonest genres as links to all books of a genre: without the search, and without the other filters. */
export function GenreLinks() {
  const common = useCommonGenres()
  if (common === null) return null
  return (
    <nav className={classes.links} aria-label={t('books.filter.browse')}>
      <Text size="sm">{t('books.filter.browse')}</Text>
      <div className={classes.chips}>
        {common.map(({ genre }) => (
          <UnstyledButton
            key={genre}
            component={Link}
            to={{ search: `?${new URLSearchParams({ genre })}` }}
            className={classes.chip}
            dir="auto"
            onClick={({ currentTarget }) => focusHeadingFrom(currentTarget)}
          >
            {genreName(genre)}
          </UnstyledButton>
        ))}
      </div>
    </nav>
  )
}
