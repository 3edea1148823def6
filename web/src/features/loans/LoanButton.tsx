import { Button, type ButtonProps } from '@mantine/core'
import type { Loan } from '../../api/types'
import { t } from '../../lib/messages'
import type { LoanAction } from './useLoanActions'

/** `days` that an extension adds. */
export const actionName = (action: LoanAction, days = 0): string =>
  action === 'extend' ? t('loans.action.extend', { days }) : t(`loans.action.${action}`)

type LoanButtonProps = Pick<ButtonProps, 'variant'> & {
  action: LoanAction
  loan: Pick<Loan, 'id' | 'title' | 'renewalDays'>
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
  const name = actionName(action, loan.renewalDays)
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
