import { Modal, type ModalProps } from '@mantine/core'
import { useEffect, useState } from 'react'
import { focusBack } from '../lib/focus'
import { overlay } from './overlay'

type DialogProps = Omit<ModalProps, 'opened' | 'closeOnClickOutside' | 'closeOnEscape'> & {
  /** True for content that is shown once, such as recovery codes: only the dialog's own buttons close it. */
  keepsOpen?: boolean
}

/**
 * A dialog that is open while mounted. On unmount the focus returns to where it was. A click outside closes it only if
 * nothing was typed.
 */
export function Dialog({ keepsOpen = false, ...props }: DialogProps) {
  const [before] = useState(() => document.activeElement)
  const [isTyped, setTyped] = useState(false)
  useEffect(() => () => focusBack(before), [before])
  return (
    <Modal
      opened
      closeOnClickOutside={!keepsOpen && !isTyped}
      closeOnEscape={!keepsOpen}
      overlayProps={overlay}
      onInput={() => setTyped(true)}
      {...props}
    />
  )
}
