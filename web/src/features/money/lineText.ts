import type { Charge, Line, LineKind, Method, Total } from '../../api/types'
import { t } from '../../lib/messages'

export const KINDS = ['charge', 'payment', 'waiver', 'reversal', 'refund'] as const satisfies readonly LineKind[]
export const METHODS = ['cash', 'upi', 'card', 'other'] as const satisfies readonly Method[]
export const CHARGES = ['overdue', 'lost', 'damage', 'other'] as const satisfies readonly Charge['of'][]

/** Names the reason of a charge or the method of a payment; null for other lines. */
function ofText({ kind, of }: Pick<Line, 'kind' | 'of'>): string | null {
  if (kind === 'charge') {
    const charge = CHARGES.find((one) => one === of)
    return charge ? t(`money.charge.${charge}`) : null
  }
  const method = METHODS.find((one) => one === of)
  return method ? t(`desk.screen.method.${method}`) : null
}

/** Names the kind of a line: "Charged · Overdue". */
export const kindText = (line: Pick<Line | Total, 'kind' | 'of'>): string =>
  [t(`money.line.${line.kind}`), ofText(line)].filter((part) => part !== null).join(' · ')
