import { UnstyledButton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { genresQuery } from '../../../api/books'
import { t } from '../../../lib/messages'
import { genreName } from '../genre'
import { useNarrowing } from './BookFilters'
import classes from './GenreChips.module.css'

/** Maximum number of genres offered; more would take a second line. */
const MOST = 8

/** The commonest genres: one press narrows the list to a genre, another press clears it. */
export function GenreChips() {
  const [{ genre: chosen }, set] = useNarrowing()
  const { data, isPending } = useQuery(genresQuery)
  const common = (data ?? []).toSorted((one, other) => other.books - one.books).slice(0, MOST)
  // A single genre would not narrow the list.
  if (!isPending && common.length < 2) return null
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
