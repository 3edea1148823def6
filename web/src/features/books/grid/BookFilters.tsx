import { Checkbox, NativeSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { EVERY_BOOK, genresQuery, hasLetters, SORTS, type BookSort, type Narrowing } from '../../../api/books'
import { useAddressFilter } from '../../../lib/addressFilter'
import { intlLocale, t } from '../../../lib/messages'
import { genreName } from '../genre'
import classes from './BookFilters.module.css'

/**
 * Order, genre and availability of a list, held in the address like the search; invalid values are left out. An address
 * without an order has the list's usual one.
 */
export const useNarrowing = (usualSort: BookSort = EVERY_BOOK.sort) =>
  useAddressFilter<Narrowing>((params) => ({
    sort: SORTS.find((sort) => sort === params.get('sort')) ?? usualSort,
    genre: params.get('genre') ?? '',
    available: params.get('available') === 'yes',
    from: params.get('from') ?? '',
  }))

export const isNarrowed = ({ genre, available }: Narrowing): boolean => genre !== '' || available

/** Letters at which a list may begin: the Latin ones, and the first of each group of Devanagari. */
const LETTERS = 'A B C D E F G H I J K L M N O P Q R S T U V W X Y Z अ क च ट त प य श'.split(' ')

export type BookFiltersProps = {
  isSearch: boolean
  /** Order of the list while none is chosen. */
  usualSort: BookSort
}

export function BookFilters({ isSearch, usualSort }: BookFiltersProps) {
  const [{ sort, genre, available, from }, set] = useNarrowing(usualSort)
  const genres = useQuery(genresQuery).data ?? []
  const named = genres
    .map((one) => ({ value: one.genre, name: genreName(one.genre), books: one.books }))
    .toSorted((one, other) => one.name.localeCompare(other.name, intlLocale()))
  const sortId = useId()
  // A shared link may name a genre that the list does not contain.
  const listed = genre === '' || genres.some((one) => one.genre === genre)
  return (
    <div className={classes.filters} role="group" aria-label={t('books.filter.label')}>
      <NativeSelect
        size="sm"
        aria-label={t('books.filter.genre')}
        className={classes.genre}
        value={genre}
        data={[
          { value: '', label: t('books.filter.allGenres') },
          ...(listed ? [] : [{ value: genre, label: genreName(genre) }]),
          ...named.map(({ value, name, books }) => ({
            value,
            label: t('books.filter.genreCount', { genre: name, books }),
          })),
        ]}
        onChange={(event) => set({ genre: event.currentTarget.value })}
      />
      <Checkbox
        label={t('books.filter.available')}
        checked={available}
        onChange={(event) => set({ available: event.currentTarget.checked ? 'yes' : '' })}
      />
      <div className={classes.sort}>
        <label htmlFor={sortId} className={classes.label}>
          {t('books.sort.label')}
        </label>
        <NativeSelect
          id={sortId}
          size="sm"
          value={sort}
          data={SORTS.map((value) => ({
            value,
            label: t(isSearch && value === EVERY_BOOK.sort ? 'books.sort.best' : `books.sort.${value}`),
          }))}
          onChange={(event) => {
            const chosen = event.currentTarget.value
            set({ sort: chosen === usualSort ? '' : chosen, from: '' })
          }}
        />
        {!isSearch && hasLetters(sort) && (
          <NativeSelect
            size="sm"
            aria-label={t('books.letters.label')}
            className={classes.letter}
            value={from}
            data={[
              { value: '', label: t('books.letters.all') },
              // A shared link may begin at another text.
              ...(from === '' || LETTERS.includes(from) ? [] : [from]),
              ...LETTERS,
            ]}
            onChange={(event) => set({ from: event.currentTarget.value })}
          />
        )}
      </div>
    </div>
  )
}
