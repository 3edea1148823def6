import { Stack, Text } from '@mantine/core'
import { t } from '../../lib/messages'
import { Dialog } from '../../ui/Dialog'
import UpiCode from './UpiCode'
import type { UpiRequest } from './upi'

/** Shows a reader how to pay their dues from a phone. The debt stays until a librarian records the payment. */
export default function PayByUpi({ onClose, ...request }: UpiRequest & { onClose: () => void }) {
  return (
    <Dialog onClose={onClose} title={t('money.upi.title', { amount: request.amount })}>
      <Stack>
        <Text>{t('money.upi.how')}</Text>
        <UpiCode {...request} />
        <Text c="dimmed">{t('money.upi.after')}</Text>
      </Stack>
    </Dialog>
  )
}
