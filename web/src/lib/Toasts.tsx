import { Notifications, notifications } from '@mantine/notifications'
import '@mantine/core/styles/Notification.layer.css'
import '@mantine/notifications/styles.layer.css'
import classes from './Toasts.module.css'

const SHOWN_MS = 5000

export function showToast(kind: 'success' | 'failure', message: string): void {
  notifications.clean()
  notifications.show({
    message,
    role: kind === 'success' ? 'status' : 'alert',
    color: kind === 'success' ? 'teal' : 'red',
    autoClose: SHOWN_MS,
  })
}

export default function Toasts() {
  return <Notifications position="bottom-center" zIndex={400} limit={3} className={classes.toasts} />
}
