import { Button, Text } from '@mantine/core'
import { useAction } from '../../api/action'
import { undo as undoAction } from '../../api/changes'
import type { Change } from '../../api/types'
import { translateMessage, t } from '../../lib/messages'

/** Undoes a change until the library's day ends (R-UNDO-1). */
export function UndoChange({ change: { id, messages, undone, undoable } }: { change: Change }) {
  const undo = useAction(undoAction, {
    done: (taken) => taken.messages.map(translateMessage).join(' '),
    failed: (reason) => t('common.undoFailed', { reason }),
  })
  if (undone) {
    return (
      <Text span size="sm" c="dimmed">
        {t('activity.undone')}
      </Text>
    )
  }
  if (!undoable) return null
  return (
    <Button
      variant="subtle"
      size="compact-sm"
      aria-label={t('activity.undoNamed', { what: messages.map(translateMessage).join(' ') })}
      loading={undo.pending}
      onClick={() => void undo.run(id)}
    >
      {t('common.undo')}
    </Button>
  )
}
