import { Button } from '@mantine/core'
import type { Ref } from 'react'
import classes from './Hits.module.css'

type Hit = {
  id: number
  /** Facts that distinguish the match from the others; empty ones are left out. */
  facts: readonly (string | null)[]
  onChoose: () => void
}

/** Matches of a search in a dialog, one button each. */
export function Hits({ hits, ref }: { hits: readonly Hit[]; ref?: Ref<HTMLUListElement> }) {
  return (
    <ul ref={ref} className={classes.hits}>
      {hits.map(({ id, facts, onChoose }) => (
        <li key={id}>
          <Button
            variant="default"
            fullWidth
            h="auto"
            py={8}
            justify="flex-start"
            classNames={{ label: classes.label ?? '' }}
            onClick={onChoose}
          >
            <span dir="auto">{facts.filter(Boolean).join(' · ')}</span>
          </Button>
        </li>
      ))}
    </ul>
  )
}
