import { Button } from '@mantine/core'
import { t } from '../../lib/messages'

type LostButtonProps = {
  title: string
  /** Borrower, for screen readers. */
  of: string
  onPress: () => void
}

/** Declares the copy of a loan lost, after a question. */
export function LostButton({ title, of, onPress }: LostButtonProps) {
  return (
    <Button
      size="compact-sm"
      h={34}
      variant="subtle"
      color="gray"
      aria-label={t('loans.lostNamed', { title, name: of })}
      onClick={onPress}
    >
      {t('loans.lost')}
    </Button>
  )
}
