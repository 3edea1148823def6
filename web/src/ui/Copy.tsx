import { Button } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { t } from '../lib/messages'

/** Button that copies a text to the clipboard, which browsers offer over https only. */
export function Copy({ text }: { text: string }) {
  const clipboard = useClipboard()
  if (!('clipboard' in navigator)) return null
  return (
    <Button variant="default" size="sm" flex="none" onClick={() => clipboard.copy(text)}>
      <span role="status">{t(clipboard.copied ? 'common.copied' : 'common.copy')}</span>
    </Button>
  )
}
