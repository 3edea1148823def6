import { Anchor, Stack, Text } from '@mantine/core'
import { moneyText } from '../../lib/format'
import { t } from '../../lib/messages'
import { QrCode } from '../../print/QrCode'
import classes from './UpiCode.module.css'
import { upiLink, type UpiRequest } from './upi'

/** QR code of a payment request; on a phone also a link that opens the payment app. */
export default function UpiCode(request: UpiRequest) {
  const link = upiLink(request)
  return (
    <Stack gap="xs" align="center">
      <QrCode text={link} label={t('money.upi.code', { amount: request.amount, address: request.address })} />
      <Text fw={600} className="tabular">
        {moneyText(request.amount)}
      </Text>
      <Text size="sm" c="dimmed" dir="ltr">
        {request.address}
      </Text>
      <Anchor href={link} className={classes.app}>
        {t('money.upi.app')}
      </Anchor>
    </Stack>
  )
}
