import { Button, Group, Text } from '@mantine/core'
import { Notifications, notifications } from '@mantine/notifications'
import { useEffect, useRef, type FocusEvent, type ReactNode } from 'react'
import '@mantine/core/styles/Notification.layer.css'
import '@mantine/notifications/styles.layer.css'
import { notKnown } from '../api/action'
import { focusBack } from '../lib/focus'
import { t } from '../lib/messages'
import { hostNotices, notify, type Notice } from '../lib/notify'
import { newKey } from '../lib/newKey'
import { messageOf } from '../lib/problem'
import classes from './Notices.module.css'

const SLIDE_MS = 250
const SHOWN_MS = 8000
/** Time for a notice with a button: long enough to read it and to reach the button. */
const UNDO_SHOWN_MS = 15_000

/** Maximum number of notices, so that the page stays visible. */
const MOST_SHOWN = 4

/** Host of the notices of all screens. */
export default function Notices() {
  useEffect(() => {
    const clear = () => {
      shownNow = []
      notifications.clean()
    }
    const leave = hostNotices({ show, hide: (id) => notifications.hide(id), clear })
    return () => {
      leave()
      // Notices do not outlive the person's session.
      clear()
    }
  }, [])
  return (
    <Notifications
      position="bottom-center"
      zIndex={400}
      limit={MOST_SHOWN + 2}
      transitionDuration={SLIDE_MS}
      className={classes.notices}
    />
  )
}

type Shown = { id: string; failed: boolean; about: string | undefined }

/** Oldest first. */
let shownNow: readonly Shown[] = []

/** Hides the oldest failures, then the oldest notices, to make room for one more, which would otherwise wait unseen. */
function makeRoom(): void {
  while (shownNow.length >= MOST_SHOWN) {
    remove((shownNow.find(({ failed }) => failed) ?? shownNow[0]!).id)
  }
}

function forget(id: string): void {
  shownNow = shownNow.filter((one) => one.id !== id)
}

function remove(id: string): void {
  forget(id)
  notifications.hide(id)
}

function show({ kind, message, id: given, undo }: Notice): void {
  const failed = kind === 'failure'
  const about = failed ? undefined : given
  // Repeated notices with the same text share one; each change that can be undone has its own.
  const id = (failed && given) || (undo ? newKey() : message)
  for (const one of shownNow) if (one.id === id || (about && one.about === about)) remove(one.id)
  makeRoom()
  shownNow = [...shownNow, { id, failed, about }]
  /** Element that had the focus before the notice. */
  let before: Element | null = null
  let focused: HTMLElement | null = null
  const shown = {
    id,
    onClose: () => {
      forget(id)
      if (!focused) return
      // The focus does not disappear with the notice.
      focused.blur()
      focusBack(before)
    },
    message: (
      <NoticeContent>
        {undo ? <WithUndo message={message} onUndo={() => void takeBack(id, undo, () => before)} /> : message}
      </NoticeContent>
    ),
    role: failed ? 'alert' : 'status',
    color: failed ? 'red' : 'teal',
    autoClose: failed ? (false as const) : undo ? UNDO_SHOWN_MS : SHOWN_MS,
    // Mantine stops the timer under the pointer, but not for the focus.
    onFocusCapture: ({ target, currentTarget, relatedTarget }: FocusEvent<HTMLElement>) => {
      if (!currentTarget.contains(relatedTarget)) before = relatedTarget
      focused = target
      notifications.update({ ...shown, autoClose: false })
    },
    onBlurCapture: () => {
      focused = null
      notifications.update(shown)
    },
  }
  notifications.show(shown)
}

/** Space between the notices and an element scrolled above them, pixels. */
const CLEAR = 8

/** Text and buttons of a notice; once it is in place, the page scrolls so that it covers no focused element. */
function NoticeContent({ children }: { children: ReactNode }) {
  const content = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const timer = setTimeout(() => {
      const notices = content.current?.closest(`.${classes.notices}`)
      if (notices) uncoverFocused(notices)
    }, SLIDE_MS)
    return () => clearTimeout(timer)
  }, [])
  return <div ref={content}>{children}</div>
}

/** Scrolls the focused element out from under the notices, and reserves their height for what gets the focus next. */
function uncoverFocused(notices: Element): void {
  const over = notices.getBoundingClientRect()
  document.documentElement.style.setProperty('--library-notices', `${innerHeight - over.top + CLEAR}px`)
  const focused = document.activeElement
  if (!focused || focused === document.body || notices.contains(focused)) return
  const under = focused.getBoundingClientRect()
  const isCovered =
    under.bottom > over.top && under.top < over.bottom && under.right > over.left && under.left < over.right
  const by = under.bottom + CLEAR - over.top
  // A part of the page that has the focus, such as `main`, is higher than the space above the notices.
  if (!isCovered || by > under.top) return
  const scroller = focused.closest('.mantine-Modal-content') ?? window
  scroller.scrollBy({ top: by })
}

function WithUndo({ message, onUndo }: { message: string; onUndo: () => void }) {
  return (
    <Group justify="space-between" wrap="nowrap" gap="sm">
      <Text size="sm">{message}</Text>
      <Button variant="subtle" size="compact-md" className={classes.undo} onClick={onUndo}>
        {t('common.undo')}
      </Button>
    </Group>
  )
}

async function takeBack(notice: string, undo: () => Promise<unknown>, before: () => Element | null): Promise<void> {
  notifications.hide(notice)
  try {
    await undo()
  } catch (error) {
    console.error('The action could not be undone', error)
    notify.failure(notKnown(error) ?? t('common.undoFailed', { reason: messageOf(error) }))
  }
  // The undo may have replaced the element that got the focus.
  focusBack(before())
}
