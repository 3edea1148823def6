import { Button, type ButtonProps } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Loan } from '../../api/types'
import { t } from '../../lib/messages'
import type { LoanAction } from './useLoanActions'

/** Returns the action's label; `days`: length of an extension. */
export const actionName = (action: LoanAction, days = 0): string =>
  action === 'extend' ? t('loans.action.extend', { days }) : t(`loans.action.${action}`)

type LoanButtonProps = Pick<ButtonProps, 'variant'> & {
  action: LoanAction
  loan: Pick<Loan, 'id' | 'title' | 'renewalDays'>
  /** Pending action of this loan. */
  pending: LoanAction | undefined
  /** Id of the sentence that says why the button is disabled. */
  refusedBy?: string | undefined
  /** Borrower, for screen readers, if several people have the same book. */
  of?: string
  /** Icon in place of the label, which becomes the button's tooltip. */
  icon?: ReactNode
  onPress: () => void
}

/** Button for an action on a loan; its accessible name includes the book's title. */
export function LoanButton({
  action,
  loan,
  pending,
  refusedBy,
  of,
  icon,
  variant = 'subtle',
  onPress,
}: LoanButtonProps) {
  const name = actionName(action, loan.renewalDays)
  return (
    <Button
      size="compact-sm"
      h={34}
      {...(icon !== undefined && { px: 5, title: name })}
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
      {icon ?? name}
    </Button>
  )
}
