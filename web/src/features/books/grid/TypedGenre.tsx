import { Anchor } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useSearchParams } from 'react-router'
import { genresQuery, type BookFilter } from '../../../api/books'
import { t } from '../../../lib/messages'
import { genreName } from '../genre'
import { focusHeadingFrom } from './focusHeadingFrom'
import { genreTyped } from './genreTyped'
import classes from './TypedGenre.module.css'

/** Offers the genre that the search of the shown books names, in place of the search. */
export function TypedGenre({ filter }: { filter: BookFilter }) {
  const [params] = useSearchParams()
  // Fetched together with the books of a search.
  const { data: genres = [] } = useQuery({ ...genresQuery, enabled: false })
  const typed = genreTyped(filter.q, genres)
  if (!typed || typed.genre === filter.genre) return null
  const search = new URLSearchParams(params)
  search.delete('q')
  search.set('genre', typed.genre)
  return (
    <Anchor
      component={Link}
      to={{ search: `?${search}` }}
      className={classes.typed}
      onClick={({ currentTarget }) => focusHeadingFrom(currentTarget)}
    >
      {t('books.search.genre', { genre: genreName(typed.genre), books: typed.books })}
    </Anchor>
  )
}
