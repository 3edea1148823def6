import { Button, Text } from '@mantine/core'
import { Link } from 'react-router'
import { useAction } from '../../api/action'
import { undo as undoAction } from '../../api/changes'
import type { Change } from '../../api/types'
import { translateMessage, t } from '../../lib/messages'
import { messageOf, ProblemError } from '../../lib/problem'
import { paths } from '../../screens'

/**
 * Button that undoes a change (R-UNDO-1). After the library's day, the refusal links to a screen that can correct it.
 */
export function UndoChange({ change }: { change: Change }) {
  const { id, messages, undone, undoable } = change
  const undo = useAction(undoAction, {
    done: (taken) => taken.messages.map(translateMessage).join(' '),
    failed: (reason, error) => (isDayOver(error) ? null : t('common.undoFailed', { reason })),
  })
  if (undone) {
    return (
      <Text span size="sm" c="dimmed">
        {t('activity.undone')}
      </Text>
    )
  }
  if (isDayOver(undo.error)) {
    return (
      <span role="alert">
        {messageOf(undo.error)} <OrdinaryWay change={change} />
      </span>
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

const isDayOver = (error: unknown): boolean =>
  error instanceof ProblemError && error.reasons.some((reason) => reason.id === 'undo.day')

/** Actions on loans; a later correction is made at the desk. */
const AT_DESK: ReadonlySet<string> = new Set(['lent', 'returned', 'renewed', 'declared-lost'])

/** Links to the screen that corrects a change of an earlier day: desk or person. The book has its own link. */
function OrdinaryWay({ change: { action, person } }: { change: Change }) {
  if (AT_DESK.has(action)) return <Link to={paths.desk()}>{t('activity.goDesk')}</Link>
  if (!person) return null
  return (
    <Link to={paths.person(person.id)} dir="auto">
      {t('activity.goPerson', { name: person.name })}
    </Link>
  )
}
