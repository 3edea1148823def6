import { Anchor } from '@mantine/core'
import { Link } from 'react-router'
import type { Line } from '../../api/types'
import { moneyText } from '../../lib/format'
import { t } from '../../lib/messages'
import { paths } from '../../screens'
import { Money } from '../../ui/Facts'
import type { Column } from '../../ui/ResponsiveTable'
import { Reasons, Why } from '../../ui/Why'
import classes from './LineCells.module.css'
import { kindText } from './lineText'

type LineDescriptionProps = {
  line: Line
  /** Links the receipt. */
  withReceipt?: boolean
}

/** Kind, reason and receipt of a line. */
export function LineDescription({ line, withReceipt = false }: LineDescriptionProps) {
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
            <Anchor component={Link} to={paths.receipt(receipt)} fz="inherit" className="tabular">
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

/**
 * Columns of charges and payments. Each line is in one of them: a waiver or a cancelled charge reduces the first, a
 * refund or a reversed payment the second. `personOf` names the person in lists of several people's lines.
 */
export function moneyColumns<Row extends Line>(personOf?: (line: Row) => string): Column<Row>[] {
  const column = (title: string, isHere: (line: Row) => boolean, sign: 1 | -1): Column<Row> => ({
    title,
    align: 'end',
    cell: (line) => (isHere(line) ? <Amount line={line} amount={sign * line.amount} of={personOf?.(line)} /> : null),
  })
  return [
    column(t('money.line.charge'), ({ movesMoney }) => !movesMoney, 1),
    column(t('money.line.payment'), ({ movesMoney }) => movesMoney, -1),
  ]
}

type AmountProps = { line: Line; amount: number; of: string | undefined }

/** Amount of a line, with a collapsible explanation. */
function Amount({ line: { explain, reason }, amount, of }: AmountProps) {
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
