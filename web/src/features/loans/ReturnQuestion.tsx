import { Anchor, Button, Group, Modal, Text } from '@mantine/core'
import { Link } from 'react-router'
import type { NamedLoan } from '../../api/types'
import { quoted } from '../../lib/format'
import { rich, t } from '../../lib/messages'
import { paths } from '../../screens'
import type { Question } from '../../ui/useQuestion'
import { actionName } from './LoanButton'
import { overlay } from '../../ui/overlay'

type Ending = 'restock' | 'return'

/** Loan to end, and the pressed button. */
export type Asked = { loan: NamedLoan; by: Ending }

type ReturnQuestionProps = {
  question: Question<Asked>
  onAnswer: (asked: Asked, answer: Ending) => void
  /** Called if the reader lost the copy. */
  onLost: (loan: NamedLoan) => void
}

/**
 * Names book, borrower and fine before the loan ends, and says where each answer puts the copy. Enter confirms the
 * action of the pressed button.
 */
export function ReturnQuestion({ question: { about: asked, opened, close }, onAnswer, onLost }: ReturnQuestionProps) {
  const gone = asked?.loan.titleDeleted ?? false
  const answer = (ending: Ending, variant: 'default' | 'filled') => (
    <Button
      variant={variant}
      data-autofocus={asked?.by === ending || undefined}
      onClick={() => {
        if (asked) onAnswer(asked, ending)
        close()
      }}
    >
      {actionName(ending)}
    </Button>
  )

  return (
    <Modal opened={opened} onClose={close} title={t('loans.question.title')} overlayProps={overlay}>
      <Text>{asked && sentenceOf(asked.loan)}</Text>
      {gone ? (
        <Text mt="sm">{t('loans.question.titleDeleted')}</Text>
      ) : (
        <>
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
        </>
      )}
      <Button
        variant="subtle"
        color="red"
        mt="sm"
        px={0}
        onClick={() => {
          if (asked) onLost(asked.loan)
          close()
        }}
      >
        {t('money.lost.open')}
      </Button>
      <Group justify="flex-end" mt="lg" gap="xs">
        <Button variant="subtle" onClick={close}>
          {t('common.cancel')}
        </Button>
        {answer('return', gone ? 'filled' : 'default')}
        {!gone && answer('restock', 'filled')}
      </Group>
    </Modal>
  )
}

function sentenceOf({ title, userName: name, rollNumber, fine, overdueDays: days }: NamedLoan): string {
  const who = t('loans.question.who', { title: quoted(title), name, rollNumber })
  return `${who} ${fine > 0 ? t('loans.question.fine', { fine, days }) : t('loans.question.noFine')}`
}
