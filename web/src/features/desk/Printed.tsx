import { Button } from '@mantine/core'
import { Printer } from 'lucide-react'
import { useRef } from 'react'
import { Link } from 'react-router'
import type { Receipt } from '../../api/types'
import { useAltKey } from '../../lib/altKey'
import { t } from '../../lib/messages'
import { paths } from '../../screens'

/** Links to the receipt, which is printed from its own page. */
export function Printed({ receipt }: { receipt: Receipt }) {
  const link = useRef<HTMLAnchorElement>(null)
  useAltKey('KeyP', link, true)
  return (
    <Button
      ref={link}
      component={Link}
      to={paths.receipt(receipt.number)}
      target="_blank"
      variant="default"
      aria-keyshortcuts="Alt+P"
      leftSection={<Printer data-size="18" />}
    >
      {t('desk.screen.receiptKey')}
    </Button>
  )
}
