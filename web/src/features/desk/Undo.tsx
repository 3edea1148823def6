import { Button } from '@mantine/core'
import { Undo2 } from 'lucide-react'
import { useRef } from 'react'
import type { EntryActions } from '../../counter/queue'
import { showsKeys, useAltKey } from '../../lib/altKey'
import { t } from '../../lib/messages'
import classes from './Desk.module.css'

type UndoProps = {
  change: number
  /** Sentence that says what is undone. */
  what: string
  /** Undefined until the button is pressed. */
  state: 'sent' | 'done' | undefined
  act: EntryActions['act']
  /** True for the newest change, which Alt+Z undoes. */
  keyed?: true
}

/** Undoes a change (R-UNDO-1). */
export function Undo({ change, what, state, act, keyed }: UndoProps) {
  const button = useRef<HTMLButtonElement>(null)
  useAltKey('KeyZ', button, keyed === true)

  if (state === 'done') return <p className={classes.hint}>{t('desk.screen.undone')}</p>
  return (
    <Button
      ref={button}
      variant="default"
      {...(!keyed && { size: 'compact-sm', h: 34 })}
      className={classes.undo}
      leftSection={<Undo2 data-size="18" />}
      aria-keyshortcuts={keyed && 'Alt+Z'}
      // Not disabled while pending, so that the button keeps the focus; a second press is a no-op.
      aria-busy={state === 'sent'}
      onClick={() => act(t('outbox.named', { action: t('desk.screen.undo'), label: what }), { kind: 'undo', change })}
    >
      {t(keyed && showsKeys() ? 'desk.screen.undoKey' : 'desk.screen.undo')}
    </Button>
  )
}
