import { ActionIcon } from '@mantine/core'
import { BookX } from 'lucide-react'
import { t } from '../../lib/messages'

type LostButtonProps = {
  title: string
  /** Borrower, for screen readers. */
  of: string
  onPress: () => void
}

/**
 * Button that declares the copy of a loan lost, after a question. An icon, because a fourth label would not fit the
 * row.
 */
export function LostButton({ title, of, onPress }: LostButtonProps) {
  return (
    <ActionIcon
      size={28}
      variant="subtle"
      color="gray"
      aria-label={t('loans.lostNamed', { title, name: of })}
      title={t('loans.lost')}
      onClick={onPress}
    >
      <BookX data-size="18" aria-hidden />
    </ActionIcon>
  )
}
