import { Button } from '@mantine/core'
import { Printer } from 'lucide-react'
import { Link } from 'react-router'
import type { Receipt } from '../../api/types'
import { t } from '../../lib/messages'
import { paths } from '../../screens'

/** Links to the receipt, which is printed from its own page. */
export function Printed({ receipt }: { receipt: Receipt }) {
  return (
    <Button
      component={Link}
      to={paths.receipt(receipt.number)}
      target="_blank"
      variant="default"
      leftSection={<Printer data-size="18" />}
    >
      {t('desk.screen.receipt')}
    </Button>
  )
}
