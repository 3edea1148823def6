import { Text } from '@mantine/core'
import { useState } from 'react'
import type { AdminLoan } from '../../api/types'
import { quoted } from '../../lib/format'
import { t } from '../../lib/messages'
import { ConfirmModal } from '../../ui/ConfirmModal'
import { actionName } from './LoanButton'

export type Asked = { loan: AdminLoan; action: 'return' | 'restock' }

type ReturnQuestionProps = { asked: Asked | null; onYes: (asked: Asked) => void; onClose: () => void }

/** Names the book, the borrower and the fine before the loan ends. */
export function ReturnQuestion({ asked, onYes, onClose }: ReturnQuestionProps) {
  // While the question fades out it still says what it asked.
  const [shown, setShown] = useState(asked)
  if (asked && asked !== shown) setShown(asked)
  const action = shown?.action ?? 'return'

  return (
    <ConfirmModal
      opened={asked !== null}
      title={t(`loans.question.${action}`)}
      routine
      confirm={actionName(action)}
      onConfirm={() => {
        if (shown) onYes(shown)
        onClose()
      }}
      onClose={onClose}
    >
      {shown && sentenceOf(shown.loan)}
      <Text component="span" display="block" mt="sm">
        {action === 'return' ? t('loans.question.stays') : t('loans.question.back')}
      </Text>
    </ConfirmModal>
  )
}

function sentenceOf({ title, userName: name, rollNumber, fine, overdueDays: days }: AdminLoan): string {
  const who = t('loans.question.who', { title: quoted(title), name, rollNumber })
  return `${who} ${fine > 0 ? t('loans.question.fine', { fine, days }) : t('loans.question.noFine')}`
}
