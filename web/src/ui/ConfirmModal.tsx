import { Button, Group, Modal, Text } from '@mantine/core'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { focusBack } from '../lib/focus'
import { t } from '../lib/messages'
import { overlay } from './overlay'

type ConfirmModalProps = {
  opened: boolean
  title: string
  /** Names the affected record: the book, the borrower, the new date. */
  children: ReactNode
  confirm: string
  /** Label of the answer that changes nothing. */
  cancel?: string
  danger?: boolean
  /** True for a frequent question: Enter confirms. */
  routine?: boolean
  pending?: boolean
  /** True while the question cannot be confirmed. */
  disabled?: boolean
  onConfirm: () => void
  onClose: () => void
}

/**
 * Asks before a record changes. The answer that changes nothing has the focus first, unless the question is routine.
 */
export function ConfirmModal({
  opened,
  title,
  children,
  confirm,
  cancel = t('common.cancel'),
  danger,
  routine = false,
  pending,
  disabled = false,
  onConfirm,
  onClose,
}: ConfirmModalProps) {
  const [before] = useState(() => document.activeElement)
  const [isTyped, setTyped] = useState(false)
  const asking = useRef(opened)
  useEffect(() => {
    asking.current = opened
  }, [opened])
  // A question that unmounts while open cannot fade out and return the focus by itself.
  useEffect(() => () => void (asking.current && focusBack(before)), [before])

  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={title}
      overlayProps={overlay}
      closeOnClickOutside={!isTyped}
      onInput={() => setTyped(true)}
    >
      <Text component="div">{children}</Text>
      <Group justify="flex-end" mt="lg">
        <Button variant="default" onClick={onClose} data-autofocus={!routine || undefined}>
          {cancel}
        </Button>
        <Button
          {...(danger && { color: 'red' })}
          loading={pending ?? false}
          disabled={disabled}
          // The window fades out after the answer: a second press must not confirm again.
          onClick={({ detail }) => {
            if (opened && detail < 2) onConfirm()
          }}
          data-autofocus={routine || undefined}
        >
          {confirm}
        </Button>
      </Group>
    </Modal>
  )
}
