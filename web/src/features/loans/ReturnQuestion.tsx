import { Anchor, Button, Group, Modal, Text } from '@mantine/core'
import { useState } from 'react'
import { Link } from 'react-router'
import type { AdminLoan } from '../../api/types'
import { quoted } from '../../lib/format'
import { rich, t } from '../../lib/messages'
import { paths } from '../../lib/paths'
import { actionName } from './LoanButton'

type Ending = 'restock' | 'return'

/** Which loan is to end, and by which button. */
export type Asked = { loan: AdminLoan; by: Ending }

type ReturnQuestionProps = {
  asked: Asked | null
  onAnswer: (asked: Asked, answer: Ending) => void
  onClose: () => void
}

/**
 * Names the book, the borrower and the fine before the loan ends, and says where either answer leaves the copy. Enter
 * does what the button in the row was named.
 */
export function ReturnQuestion({ asked, onAnswer, onClose }: ReturnQuestionProps) {
  // While the question fades out it still says what it asked.
  const [shown, setShown] = useState(asked)
  if (asked && asked !== shown) setShown(asked)

  const answer = (ending: Ending, variant: 'default' | 'filled') => (
    <Button
      variant={variant}
      data-autofocus={shown?.by === ending || undefined}
      onClick={() => {
        if (shown) onAnswer(shown, ending)
        onClose()
      }}
    >
      {actionName(ending)}
    </Button>
  )

  return (
    <Modal opened={asked !== null} onClose={onClose} title={t('loans.question.title')}>
      <Text>{shown && sentenceOf(shown.loan)}</Text>
      <Text mt="sm">{t('loans.question.restock')}</Text>
      <Text mt="xs">
        {rich('loans.question.return', {
          link: (words) => (
            <Anchor component={Link} to={paths.toShelve()} underline="always">
              {words}
            </Anchor>
          ),
        })}
      </Text>
      <Group justify="flex-end" mt="lg" gap="xs">
        <Button variant="subtle" onClick={onClose}>
          {t('common.cancel')}
        </Button>
        {answer('return', 'default')}
        {answer('restock', 'filled')}
      </Group>
    </Modal>
  )
}

function sentenceOf({ title, userName: name, rollNumber, fine, overdueDays: days }: AdminLoan): string {
  const who = t('loans.question.who', { title: quoted(title), name, rollNumber })
  return `${who} ${fine > 0 ? t('loans.question.fine', { fine, days }) : t('loans.question.noFine')}`
}
