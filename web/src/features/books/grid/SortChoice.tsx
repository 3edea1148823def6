import { NativeSelect } from '@mantine/core'
import { useId } from 'react'
import { useSearchParams } from 'react-router'
import type { BookFilter } from '../../../api/books'
import { t } from '../../../lib/messages'
import classes from './SortChoice.module.css'

type Sort = BookFilter['sort']

/** The order of a list: the address holds it, like the search. */
export function useSort(): Sort {
  return useSearchParams()[0].get('sort') === 'newest' ? 'newest' : 'title'
}

export function SortChoice() {
  const sort = useSort()
  const [, setParams] = useSearchParams()
  const id = useId()

  function choose(next: string) {
    setParams(
      (before) => {
        const after = new URLSearchParams(before)
        if (next === 'newest') after.set('sort', next)
        else after.delete('sort')
        return after
      },
      { replace: true },
    )
  }

  return (
    <div className={classes.sort}>
      <label htmlFor={id} className={classes.label}>
        {t('books.sort.label')}
      </label>
      <NativeSelect
        id={id}
        size="sm"
        value={sort}
        data={[
          { value: 'title', label: t('books.sort.title') },
          { value: 'newest', label: t('books.sort.newest') },
        ]}
        onChange={(event) => choose(event.currentTarget.value)}
      />
    </div>
  )
}
