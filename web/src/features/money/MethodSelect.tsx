import { NativeSelect } from '@mantine/core'
import type { Method } from '../../api/types'
import { t } from '../../lib/messages'
import { METHODS } from './lineText'

/** Select for the method of a payment or refund. */
export function MethodSelect(props: { value?: Method; onChange?: (value: unknown) => void }) {
  return (
    <NativeSelect
      label={t('desk.screen.method')}
      data={METHODS.map((method) => ({ value: method, label: t(`desk.screen.method.${method}`) }))}
      {...props}
    />
  )
}
