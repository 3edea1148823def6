import { Button } from '@mantine/core'
import { Undo2 } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { undoChange } from '../../api/undo'
import { t } from '../../lib/messages'
import type { OnSettle } from '../../counter/queue'
import classes from './Desk.module.css'
import { wordsOf } from '../../counter/words'

type UndoProps = {
  change: number
  isDone: boolean
  onSettle: OnSettle
  /** Whether Alt and Z press it: the newest one. */
  keyed?: true
}

/** Takes a change back (R-UNDO-1). */
export function Undo({ change, isDone, onSettle, keyed }: UndoProps) {
  const button = useRef<HTMLButtonElement>(null)

  useEffect(() => {
    if (!keyed) return
    function onKey(event: KeyboardEvent) {
      if (!event.altKey || event.ctrlKey || event.metaKey || event.code !== 'KeyZ') return
      event.preventDefault()
      button.current?.click()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [keyed])

  if (isDone) return <p className={classes.hint}>{t('desk.screen.undone')}</p>
  return (
    <Button
      ref={button}
      variant="default"
      size={keyed ? 'sm' : 'compact-sm'}
      className={classes.undo}
      leftSection={<Undo2 data-size="18" />}
      aria-keyshortcuts={keyed && 'Alt+Z'}
      onClick={() =>
        onSettle(t('desk.screen.undo'), async (key) => {
          const { messages } = await undoChange(change, key)
          return { words: messages.map(wordsOf), undid: change }
        })
      }
    >
      {keyed ? t('desk.screen.undoKey') : t('desk.screen.undo')}
    </Button>
  )
}
