import { useQuery } from '@tanstack/react-query'
import { configQuery, usePrintedName } from '../../api/config'
import { personQuery } from '../../api/people'
import type { Account, Message } from '../../api/types'
import { dayText } from '../../lib/format'
import { t } from '../../lib/messages'
import { PrintNow } from '../../print/PrintNow'
import { useReceiptPaper } from '../../print/paper'
import { QrCode } from '../../print/QrCode'
import { Money } from '../../ui/Facts'
import { owedOf } from './owedOf'
import classes from './Receipt.module.css'
import { Reasons } from './ReceiptContent'
import { upiLink } from './upi'

type StatementProps = { uid: number; account: Account; onDone: () => void }

/** Prints what a person owes, on the paper of receipts, with a UPI code if the library takes such payments. */
export function Statement({ uid, account, onDone }: StatementProps) {
  const library = usePrintedName()
  const [paper] = useReceiptPaper()
  const config = useQuery(configQuery).data
  const person = useQuery(personQuery(uid)).data
  if (!config || !person) return null
  const { name, rollNumber, batch } = person
  const { charges, fines, running } = account
  const owed = owedOf(account)
  const payer = [rollNumber?.toUpperCase(), batch].filter(Boolean).join(', ')
  const payment = { address: config.upiAddress, library: config.name, amount: owed }
  const note = t('money.upi.note', { payer: rollNumber ?? name })
  return (
    <PrintNow paper={paper} className={classes.paper} onDone={onDone}>
      <header>
        <p className={classes.library} dir="auto">
          {library}
        </p>
        {config.address && <p dir="auto">{config.address}</p>}
        <p>{t('money.statement.title')}</p>
      </header>
      <dl>
        <dt>{t('money.receipt.day')}</dt>
        <dd>{dayText(config.today)}</dd>
        <dt>{t('money.statement.of')}</dt>
        <dd dir="auto">
          {name}
          {payer && ` (${payer})`}
        </dd>
      </dl>
      <table>
        <tbody>
          {charges.map(({ id, of, reason, open, explain }) => (
            <Row key={id} text={`${t(`money.charge.${of}`)}: ${reason}`} reasons={explain} amount={open} />
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">{t('money.statement.owed')}</th>
            <td>
              <Money amount={owed} />
            </td>
          </tr>
        </tfoot>
      </table>
      {running > 0 && (
        <>
          <p>{t('money.statement.running')}</p>
          <table>
            <tbody>
              {fines.map(({ loanId, title, amount, explain }) => (
                <Row key={loanId} text={title} reasons={explain} amount={amount} />
              ))}
            </tbody>
          </table>
        </>
      )}
      {config.upiAddress !== '' && owed > 0 && (
        <>
          <p>{t('money.upi.how')}</p>
          <QrCode text={upiLink({ ...payment, note })} label={t('money.upi.code', payment)} />
          <p className={classes.payee} dir="ltr">
            {config.upiAddress}
          </p>
        </>
      )}
    </PrintNow>
  )
}

function Row({ text, reasons, amount }: { text: string; reasons: readonly Message[]; amount: number }) {
  return (
    <tr>
      <td dir="auto">
        {text}
        <Reasons reasons={reasons} />
      </td>
      <td>
        <Money amount={amount} />
      </td>
    </tr>
  )
}
