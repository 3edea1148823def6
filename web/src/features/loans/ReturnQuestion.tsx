import { Text } from '@mantine/core'
import { useState } from 'react'
import type { AdminLoan } from '../../api/types'
import { counted, quoted, moneyText } from '../../lib/format'
import { ConfirmModal } from '../../ui/ConfirmModal'
import { ACTION_NAMES } from './LoanButton'

export type Asked = { loan: AdminLoan; action: 'return' | 'restock' }

const ON_THE_SHELF = {
  return:
    'The number of available copies stays as it is. If the copy goes back on the shelf, choose Return and restock instead.',
  restock: 'The copy goes back on the shelf, so one more is available.',
} as const

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
      title={action === 'return' ? 'Return this book?' : 'Return and restock this book?'}
      routine
      confirm={ACTION_NAMES[action]}
      onConfirm={() => {
        if (shown) onYes(shown)
        onClose()
      }}
      onClose={onClose}
    >
      {shown && sentenceOf(shown.loan)}
      <Text component="span" display="block" mt="sm">
        {ON_THE_SHELF[action]}
      </Text>
    </ConfirmModal>
  )
}

function sentenceOf(loan: AdminLoan): string {
  const fine =
    loan.fine > 0
      ? `Fine to collect: ${moneyText(loan.fine)} for ${counted(loan.overdueDays, 'day', 'days')} overdue.`
      : 'No fine.'
  return `${quoted(loan.title)}, borrowed by ${loan.userName} (${loan.rollNumber}). ${fine}`
}
