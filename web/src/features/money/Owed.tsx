import type { Account } from '../../api/types'
import { t } from '../../lib/messages'
import { Money } from '../../ui/Facts'
import { Reasons } from '../../ui/Why'

/** Debts by charge and by loan, each with its explanation (Law 6). */
export function Owed({ account: { charges, fines, credit } }: { account: Account }) {
  return (
    <ul>
      {charges.map(({ id, of, reason, open, explain }) => (
        <li key={id}>
          <Money amount={open} /> {t(`money.charge.${of}`)}: <span dir="auto">{reason}</span>
          <Reasons reasons={explain} />
        </li>
      ))}
      {fines.map(({ loanId, title, amount, explain }) => (
        <li key={loanId}>
          <Money amount={amount} /> {t('money.debtors.running')}: <span dir="auto">{title}</span>
          <Reasons reasons={explain} />
        </li>
      ))}
      {credit > 0 && <li>{t('money.credit', { amount: credit })}</li>}
    </ul>
  )
}
