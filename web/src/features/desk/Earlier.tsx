import { Title } from '@mantine/core'
import { useLayoutEffect, useRef } from 'react'
import { t } from '../../lib/messages'
import { classIcons } from '../../ui/classIcons'
import type { OnSettle, Told } from './desk'
import classes from './Desk.module.css'
import { Undo } from './Undo'
import { changeOf, classOf, messagesOf } from './words'

type EarlierProps = { told: readonly Told[]; undone: ReadonlySet<number>; onSettle: OnSettle }

/** A list that has just moved down takes no press: it was meant for the row that stood there. */
const MOVED_MS = 800

/** What the scans before the newest one did. */
export function Earlier({ told, undone, onSettle }: EarlierProps) {
  const first = told[0]?.id
  const moved = useRef({ first, at: -Infinity })
  useLayoutEffect(() => {
    if (moved.current.first !== first) moved.current = { first, at: performance.now() }
  })
  const settle: OnSettle = (label, send) => {
    if (performance.now() - moved.current.at >= MOVED_MS) onSettle(label, send)
  }
  return (
    <section aria-labelledby="earlier" className={classes.earlier}>
      <Title order={2} id="earlier">
        {t('desk.screen.earlier')}
      </Title>
      <ol>
        {told.map((one) => {
          const Icon = classIcons[classOf(one)]
          const change = changeOf(one)
          const [headline] = messagesOf(one)
          return (
            <li key={one.id} data-class={classOf(one)}>
              <Icon data-size="18" aria-hidden />
              <span dir="auto">{one.outcome.kind === 'failed' ? `${one.label}: ${headline}` : headline}</span>
              {change !== null && <Undo change={change} isDone={undone.has(change)} onSettle={settle} />}
            </li>
          )
        })}
      </ol>
    </section>
  )
}
