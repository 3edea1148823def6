import { Button } from '@mantine/core'
import { Printer } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import type { Hold } from '../../api/types'
import { showsKeys, useAltKey } from '../../lib/altKey'
import { t } from '../../lib/messages'
import { PrintNow } from '../../print/PrintNow'
import classes from './Holds.module.css'
import { Slip } from './Slip'
import { SlipContent } from './SlipContent'
import { markPrinted, printsByItself } from './slipOption'

type PrintSlipProps = {
  hold: Hold
  /** Id of the desk's answer that kept the copy: its slip may print by itself, and Alt+P opens it. */
  answer?: string
}

/** Button that opens the slip of a kept copy; if the desk has the option, the slip also prints without a press. */
export function PrintSlip({ hold, answer }: PrintSlipProps) {
  const keyed = answer !== undefined
  const [opened, setOpened] = useState(false)
  const [printing, setPrinting] = useState(() => printsByItself(answer))
  const button = useRef<HTMLButtonElement>(null)
  useAltKey('KeyP', button, keyed)
  useEffect(() => {
    if (printing && answer !== undefined) markPrinted(answer)
  }, [printing, answer])
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
        {t(keyed && showsKeys() ? 'holds.slip.openKey' : 'holds.slip.open')}
      </Button>
      {opened && <Slip hold={hold} onClose={() => setOpened(false)} />}
      {printing && !opened && (
        <PrintNow paper="slip" className={classes.slip} onDone={() => setPrinting(false)}>
          <SlipContent hold={hold} />
        </PrintNow>
      )}
    </>
  )
}
