import { Button, type ButtonProps } from '@mantine/core'
import { t } from '../../lib/messages'
import type { LoanAction } from './useLoanActions'

export const actionName = (action: LoanAction): string => t(`loans.action.${action}`)

type LoanButtonProps = Pick<ButtonProps, 'variant'> & {
  action: LoanAction
  loan: { id: number; title: string }
  /** Which action of this loan is on its way. */
  pending: LoanAction | undefined
  /** Why it cannot be pressed: the id of the sentence that says so. */
  refusedBy?: string | undefined
  /** Told to screen readers beside the title, where several people have the same book. */
  of?: string
  onPress: () => void
}

/** One action of one loan, named after its book. */
export function LoanButton({ action, loan, pending, refusedBy, of, variant = 'subtle', onPress }: LoanButtonProps) {
  const name = actionName(action)
  return (
    <Button
      size="compact-sm"
      h={34}
      variant={variant}
      aria-label={
        of
          ? t('loans.action.namedOf', { action: name, title: loan.title, name: of })
          : t('loans.action.named', { action: name, title: loan.title })
      }
      aria-describedby={refusedBy}
      data-action={action}
      data-loan={loan.id}
      loading={pending === action}
      disabled={refusedBy !== undefined || (pending !== undefined && pending !== action)}
      onClick={onPress}
    >
      {name}
    </Button>
  )
}
