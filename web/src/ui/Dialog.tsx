import { Modal, type ModalProps } from '@mantine/core'
import { useEffect, useState } from 'react'
import { focusBack } from '../lib/focus'

/** A window that is open while mounted. On unmount the focus returns to where it was. */
export function Dialog(props: Omit<ModalProps, 'opened'>) {
  const [before] = useState(() => document.activeElement)
  useEffect(() => () => focusBack(before), [before])
  return <Modal opened {...props} />
}
