import { Button } from '@mantine/core'
import { Printer } from 'lucide-react'
import { useRef, useState } from 'react'
import type { Hold } from '../../api/types'
import { useAltKey } from '../../lib/altKey'
import { t } from '../../lib/messages'
import { Slip } from './Slip'

type PrintSlipProps = {
  hold: Hold
  /** True for the newest kept copy, whose slip Alt+P opens. */
  keyed?: boolean
}

/** Opens the slip of a kept copy. */
export function PrintSlip({ hold, keyed = false }: PrintSlipProps) {
  const [opened, setOpened] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  useAltKey('KeyP', button, keyed)
  return (
    <>
      <Button
        ref={button}
        variant={keyed ? 'filled' : 'default'}
        {...(!keyed && { size: 'compact-sm', h: 34 })}
        leftSection={keyed && <Printer data-size="18" />}
        aria-keyshortcuts={keyed ? 'Alt+P' : undefined}
        aria-label={t('holds.slip.named', { name: hold.userName, title: hold.title })}
        onClick={() => setOpened(true)}
      >
        {t(keyed ? 'holds.slip.openKey' : 'holds.slip.open')}
      </Button>
      {opened && <Slip hold={hold} onClose={() => setOpened(false)} />}
    </>
  )
}
