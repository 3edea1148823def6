import { Button, Group, Text } from '@mantine/core'
import { Notifications, notifications } from '@mantine/notifications'
import { useEffect } from 'react'
import '@mantine/core/styles/Notification.layer.css'
import '@mantine/notifications/styles.layer.css'
import { t } from '../lib/messages'
import { hostNotices, notify, type Notice } from '../lib/notify'
import { messageOf } from '../lib/problem'
import classes from './Notices.module.css'

const SHOWN_MS = 5000
/** Time for a notice with a button: long enough to read it and to reach the button. */
const UNDO_SHOWN_MS = 15_000

/** Shows the notices. */
export function Notices() {
  useEffect(() => {
    const leave = hostNotices({ show, hide: (id) => notifications.hide(id), clear: () => notifications.clean() })
    return () => {
      leave()
      // Notices do not outlive the person's session.
      notifications.clean()
    }
  }, [])
  return <Notifications position="bottom-center" zIndex={400} limit={4} className={classes.notices} />
}

function show({ kind, message, id, undo }: Notice): void {
  const failed = kind === 'failure'
  if (id !== undefined) notifications.hide(id)
  const shown = notifications.show({
    ...(id !== undefined && { id }),
    message: undo ? <WithUndo message={message} onUndo={() => void takeBack(shown, undo)} /> : message,
    role: failed ? 'alert' : 'status',
    color: failed ? 'red' : 'teal',
    autoClose: failed ? false : undo ? UNDO_SHOWN_MS : SHOWN_MS,
  })
}

function WithUndo({ message, onUndo }: { message: string; onUndo: () => void }) {
  return (
    <Group justify="space-between" wrap="nowrap" gap="sm">
      <Text size="sm">{message}</Text>
      <Button variant="subtle" size="compact-md" onClick={onUndo}>
        {t('common.undo')}
      </Button>
    </Group>
  )
}

async function takeBack(notice: string, undo: () => Promise<unknown>): Promise<void> {
  notifications.hide(notice)
  try {
    await undo()
  } catch (error) {
    console.error('The action could not be undone', error)
    notify.failure(t('common.undoFailed', { reason: messageOf(error) }))
  }
}
