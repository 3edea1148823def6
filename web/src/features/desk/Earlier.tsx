import { Title } from '@mantine/core'
import { memo, useCallback, useLayoutEffect, useRef } from 'react'
import { t } from '../../lib/messages'
import { classIcons } from '../../ui/classIcons'
import type { OnSettle, Told } from '../../counter/queue'
import classes from './Desk.module.css'
import { Undo } from './Undo'
import { changeOf, classOf, messagesOf } from '../../counter/words'

type EarlierProps = {
  /** The newest one first, which has its own place. */
  told: readonly Told[]
  undone: ReadonlySet<number>
  onSettle: OnSettle
}

/** A list that has just moved down takes no press: it was meant for the row that stood there. */
const MOVED_MS = 800

/** What the scans before the newest one did. */
export const Earlier = memo(function Earlier({ told, undone, onSettle }: EarlierProps) {
  const earlier = told.slice(1)
  const first = earlier[0]?.id
  const moved = useRef({ first, at: -Infinity })
  useLayoutEffect(() => {
    if (moved.current.first !== first) moved.current = { first, at: performance.now() }
  })
  const settle = useCallback<OnSettle>(
    (label, send) => {
      if (performance.now() - moved.current.at >= MOVED_MS) onSettle(label, send)
    },
    [onSettle],
  )
  if (earlier.length === 0) return null
  return (
    <section aria-labelledby="earlier" className={classes.earlier}>
      <Title order={2} id="earlier">
        {t('desk.screen.earlier')}
      </Title>
      <ol>
        {earlier.map((one) => {
          const change = changeOf(one)
          return <Row key={one.id} told={one} isUndone={change !== null && undone.has(change)} onSettle={settle} />
        })}
      </ol>
    </section>
  )
})

type RowProps = { told: Told; isUndone: boolean; onSettle: OnSettle }

/** It stays as it is while others come above it: a scan draws one row, however many there are. */
const Row = memo(function Row({ told, isUndone, onSettle }: RowProps) {
  const Icon = classIcons[classOf(told)]
  const change = changeOf(told)
  const [headline] = messagesOf(told)
  return (
    <li data-class={classOf(told)}>
      <Icon data-size="18" aria-hidden />
      <span dir="auto">{told.outcome.kind === 'failed' ? `${told.label}: ${headline}` : headline}</span>
      {change !== null && <Undo change={change} isDone={isUndone} onSettle={onSettle} />}
    </li>
  )
})
