import { Title } from '@mantine/core'
import { useQuery, type UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { configQuery } from '../../api/config'
import { accountQuery, myAccountQuery } from '../../api/money'
import type { Account, Line } from '../../api/types'
import { dayIn, moneyText } from '../../lib/format'
import { t } from '../../lib/messages'
import { Money } from '../../ui/Facts'
import { ListState } from '../../ui/ListState'
import { ResponsiveTable } from '../../ui/ResponsiveTable'
import { Why } from '../../ui/Why'
import classes from './Account.module.css'
import { AccountActions } from './AccountActions'
import { moneyColumns, LineDescription } from './LineCells'
import { FoundPrices } from './FoundPrices'
import { Owed } from './Owed'
import { PayMine } from './PayMine'
import { ReverseLine } from './ReverseLine'

/** A person's account, for librarians. */
export function PersonAccount({ uid, name }: { uid: number; name: string }) {
  const query = useQuery(accountQuery(uid))
  return (
    <AccountPanel
      query={query}
      withReceipts
      actions={query.data && <AccountActions uid={uid} name={name} account={query.data} />}
    />
  )
}

/** The student's own account; renders nothing if it has no lines. */
export function MyAccount() {
  const query = useQuery(myAccountQuery)
  if (query.data?.lines.length === 0 || query.isPending) return null
  return <AccountPanel query={query} actions={query.data && <PayMine account={query.data} />} />
}

/** The student's debt from ended loans, or credit; shown beside the total fine of the open loans. */
export function MyBalance() {
  const balance = useQuery(myAccountQuery).data?.balance ?? 0
  if (balance === 0) return null
  return (
    <div>
      <dt>{t('money.account.mine')}</dt>
      <dd data-owed={balance > 0 || undefined}>
        {balance > 0 ? <Money amount={balance} /> : t('money.credit', { amount: -balance })}
      </dd>
    </div>
  )
}

type AccountPanelProps = {
  query: UseQueryResult<Account>
  /** Links receipts and offers to reverse lines. */
  withReceipts?: boolean
  /** Actions on the account. */
  actions?: ReactNode
}

/** Balance and lines of an account (R-MONEY-1). */
function AccountPanel({ query, withReceipts = false, actions }: AccountPanelProps) {
  const config = useQuery(configQuery)
  const timeZone = config.data?.timeZone
  return (
    <section aria-labelledby="account" className={classes.account}>
      <div className={classes.head}>
        <Title order={2} id="account">
          {t('money.account.title')}
        </Title>
        {actions}
      </div>
      <ListState query={{ ...query, data: timeZone ? query.data : undefined }} lines={2}>
        {(account) => (
          <>
            <Balance account={account} />
            {withReceipts && <FoundPrices prices={account.found} />}
            {account.lines.length > 0 && (
              <ResponsiveTable
                label={t('money.account.title')}
                rows={account.lines}
                keyOf={(line) => line.id}
                columns={[
                  {
                    title: t('money.account.what'),
                    cell: (line) => <LineDescription line={line} withReceipt={withReceipts} />,
                  },
                  {
                    title: t('money.account.day'),
                    cell: ({ at }) => (
                      <time dateTime={at} className="tabular">
                        {dayIn(at, timeZone ?? 'UTC')}
                      </time>
                    ),
                  },
                  ...moneyColumns<Line>(),
                  {
                    title: t('money.account.open'),
                    align: 'end',
                    cell: (line) => (line.open > 0 ? <Money amount={line.open} /> : null),
                  },
                  ...(withReceipts
                    ? [
                        {
                          title: t('money.reverse.column'),
                          bare: true,
                          cell: (line: Line) => <ReverseLine line={line} />,
                        },
                      ]
                    : []),
                ]}
              />
            )}
          </>
        )}
      </ListState>
    </section>
  )
}

/** Debt or credit, with a collapsible explanation. */
function Balance({ account }: { account: Account }) {
  const { balance, running } = account
  return (
    <div className={classes.balance}>
      <p>
        {balance < 0 ? t('money.credit', { amount: -balance }) : t('money.account.balance', { amount: balance })}
        {running > 0 && (
          <>
            {' · '}
            {t('money.account.running', { amount: running })}
          </>
        )}
      </p>
      {(balance !== 0 || running > 0) && (
        <Why of={moneyText(balance + running)}>
          <Owed account={account} />
        </Why>
      )}
    </div>
  )
}
