import { Text } from '@mantine/core'
import { useAction } from '../../api/action'
import { reverseFoundPrice } from '../../api/money'
import type { LostPrice } from '../../api/types'
import { t } from '../../lib/messages'
import { ConfirmModal } from '../../ui/ConfirmModal'

/** Offers to reverse the price of a lost copy that was found (R-MONEY-4). */
export function FoundPrice({ lost, onClose }: { lost: LostPrice; onClose: () => void }) {
  const reverse = useAction(reverseFoundPrice, {
    done: () => t('money.found.done', { amount: lost.amount, name: lost.userName }),
    failed: (reason) => t('money.found.failed', { reason }),
  })
  return (
    <ConfirmModal
      opened
      title={t('money.found.title')}
      confirm={t('money.found.confirm', { amount: lost.amount })}
      cancel={t('money.found.keep')}
      pending={reverse.pending}
      onConfirm={() => void reverse.run({ id: lost.charge, reason: t('money.found.reason') }).then(onClose)}
      onClose={onClose}
    >
      <Text dir="auto">{t('money.found.what', { amount: lost.amount, name: lost.userName })}</Text>
      {lost.paid > 0 && <Text mt="sm">{t('money.found.paid', { paid: lost.paid })}</Text>}
    </ConfirmModal>
  )
}
