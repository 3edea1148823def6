import { Anchor } from '@mantine/core'
import { Link } from 'react-router'
import type { Line } from '../../api/types'
import { moneyText } from '../../lib/format'
import { t } from '../../lib/messages'
import { paths } from '../../screens'
import { Money } from '../../ui/Facts'
import { Reasons, Why } from '../../ui/Why'
import classes from './LineCells.module.css'
import { kindText } from './lineText'

type WhatProps = {
  line: Line
  /** Links the receipt. */
  withReceipt?: boolean
}

/** Kind, reason and receipt of a line. */
export function What({ line, withReceipt = false }: WhatProps) {
  const { reason, reference, receipt, reversed } = line
  return (
    <>
      <span data-reversed={reversed || undefined} className={classes.what} dir="auto">
        {[kindText(line), reason, reference].filter(Boolean).join(' · ')}
      </span>
      {receipt && (
        <>
          {' · '}
          {withReceipt ? (
            <Anchor component={Link} to={paths.receiptCopy(receipt)} fz="inherit" className="tabular">
              {receipt}
            </Anchor>
          ) : (
            <span className="tabular">{receipt}</span>
          )}
        </>
      )}
      {reversed && <> ({t('money.line.reversal')})</>}
    </>
  )
}

type AmountProps = {
  line: Line
  /** Person, for screen readers, in lists of several people's lines. */
  of?: string
}

/** Change of the balance, with a collapsible explanation. */
export function Amount({ line: { amount, explain, reason }, of }: AmountProps) {
  return (
    <>
      <Money amount={amount} />
      {explain.length > 0 && (
        <Why of={[moneyText(amount), reason, of].filter(Boolean).join(', ')}>
          <Reasons reasons={explain} />
        </Why>
      )}
    </>
  )
}
