import { Button } from '@mantine/core'
import { Link, useSearchParams } from 'react-router'
import { t } from '../lib/messages'
import classes from './Pages.module.css'

type PagesProps = { previous: string | null; next: string | null; label: string }

/** Returns the address of a page of the same list; null is the first page. */
export function pageAddress(params: URLSearchParams, cursor: string | null): string {
  const after = new URLSearchParams(params)
  if (cursor === null) after.delete('cursor')
  else after.set('cursor', cursor)
  return after.toString()
}

/** Links to the previous and next page; the address holds the cursor. */
export function Pages({ previous, next, label }: PagesProps) {
  const [params] = useSearchParams()
  if (previous === null && next === null) return null
  const step = (name: string, cursor: string | null) =>
    cursor === null ? (
      <Button variant="default" size="sm" disabled>
        {name}
      </Button>
    ) : (
      <Button component={Link} to={{ search: pageAddress(params, cursor) }} variant="default" size="sm">
        {name}
      </Button>
    )
  return (
    <nav aria-label={label} className={classes.pages}>
      {step(t('list.pages.previous'), previous)}
      {step(t('list.pages.next'), next)}
    </nav>
  )
}
