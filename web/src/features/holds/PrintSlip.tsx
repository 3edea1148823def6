import { Button } from '@mantine/core'
import { useState } from 'react'
import type { Hold } from '../../api/types'
import { t } from '../../lib/messages'
import { Slip } from './Slip'

/** Opens the slip of a kept copy. */
export function PrintSlip({ hold }: { hold: Hold }) {
  const [opened, setOpened] = useState(false)
  return (
    <>
      <Button
        variant="default"
        size="compact-sm"
        h={34}
        aria-label={t('holds.slip.named', { name: hold.userName, title: hold.title })}
        onClick={() => setOpened(true)}
      >
        {t('holds.slip.open')}
      </Button>
      {opened && <Slip hold={hold} onClose={() => setOpened(false)} />}
    </>
  )
}
