import { Button, type ButtonProps } from '@mantine/core'
import { useState } from 'react'
import { useAction } from '../../api/action'
import { cancelHold } from '../../api/holds'
import type { Hold } from '../../api/types'
import { quoted } from '../../lib/format'
import { t } from '../../lib/messages'
import { ConfirmModal } from '../../ui/ConfirmModal'
import { cancelFailed } from './holdText'

type CancelHoldProps = Pick<ButtonProps, 'size' | 'variant' | 'h'> & {
  hold: Hold
  /** For librarians: names the reader whose hold it is. */
  named?: boolean
  /** Called when the button has disappeared with its row. */
  whenGone?: () => void
}

/** Button that cancels a hold after a question, because the reader loses the place in the queue. */
export function CancelHold({ hold, named = false, whenGone, ...button }: CancelHoldProps) {
  const [asking, setAsking] = useState(false)
  const cancel = useAction(cancelHold, { done: () => t('holds.cancelled'), failed: cancelFailed })
  const title = quoted(hold.title)

  async function run() {
    const { refreshed } = await cancel.run({ id: hold.id })
    setAsking(false)
    await refreshed
    whenGone?.()
  }

  return (
    <>
      <Button
        variant="default"
        {...button}
        aria-label={
          named
            ? t('holds.cancel.named', { title: hold.title, name: hold.userName })
            : t('holds.cancel.of', { title: hold.title })
        }
        onClick={() => setAsking(true)}
      >
        {t('holds.cancel')}
      </Button>
      <ConfirmModal
        opened={asking}
        title={t('holds.cancel.question')}
        confirm={t('holds.cancel')}
        cancel={t('holds.cancel.keep')}
        danger
        pending={cancel.pending}
        onConfirm={() => void run()}
        onClose={() => setAsking(false)}
      >
        {named ? t('holds.cancel.whatNamed', { title, name: hold.userName }) : t('holds.cancel.what', { title })}
      </ConfirmModal>
    </>
  )
}
