import { Modal, type ModalProps } from '@mantine/core'
import { useEffect, useState } from 'react'
import { focusBack } from '../lib/focus'

/** A window that is open as long as it is there. When it goes, the focus goes back to where it came from. */
export function Dialog(props: Omit<ModalProps, 'opened'>) {
  const [before] = useState(() => document.activeElement)
  useEffect(() => () => focusBack(before), [before])
  return <Modal opened {...props} />
}
