import { Button } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { useEffect, type RefObject } from 'react'
import { t } from '../lib/messages'

type CopyProps = {
  text: string
  /** Element that shows the text; it is selected if the browser refuses the clipboard. */
  shownIn: RefObject<HTMLElement | null>
}

/** Button that copies a text to the clipboard, which browsers offer over https only. */
export function Copy({ text, shownIn }: CopyProps) {
  const { copy, copied, error } = useClipboard()
  // Each refused press has an error of its own.
  useEffect(() => {
    const element = shownIn.current
    if (error === null || element === null) return
    // Selecting in a field needs the focus there.
    element.focus()
    if (element instanceof HTMLInputElement) element.select()
    else getSelection()?.selectAllChildren(element)
  }, [error, shownIn])
  if (!('clipboard' in navigator)) return null
  const label = t(error ? 'common.copyByHand' : copied ? 'common.copied' : 'common.copy')
  return (
    // The content of a status names no button.
    <Button variant="default" size="sm" flex="none" aria-label={label} onClick={() => copy(text)}>
      <span role="status">{label}</span>
    </Button>
  )
}
