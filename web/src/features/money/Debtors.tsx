import { Alert, Button, NativeSelect, Title } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Printer } from 'lucide-react'
import { useState } from 'react'
import { useSearchParams } from 'react-router'
import { useMay } from '../../api/account'
import { useBatches } from '../../api/batches'
import { configQuery, usePrintedName } from '../../api/config'
import { accountQuery, debtorsQuery, everyDebtor } from '../../api/money'
import type { Debtor } from '../../api/types'
import { useAddressFilter } from '../../lib/addressFilter'
import { dayText, moneyText } from '../../lib/format'
import { t } from '../../lib/messages'
import { messageOf } from '../../lib/problem'
import { PrintNow } from '../../print/PrintNow'
import { EmptyState } from '../../ui/EmptyState'
import { Money } from '../../ui/Facts'
import { ListState } from '../../ui/ListState'
import { ResponsiveTable } from '../../ui/ResponsiveTable'
import { ShowMore } from '../../ui/ShowMore'
import { Why } from '../../ui/Why'
import { debtorsIn, DEBTOR_ORDERS, debtorOrderOf, type DebtorOrder } from './filter'
import classes from './MoneyScreen.module.css'
import { Named } from './Named'
import { Owed } from './Owed'
import { useTakeMoney } from './TakeMoney'

/** Window width up to which rows are cards, which have no headings to sort by. */
const CARDS = '56em'

/**
 * People with a balance, by batch and in any order, with buttons to print the list and to take payments (R-MONEY-6).
 */
export function Debtors() {
  const [filter, set] = useAddressFilter(debtorsIn)
  const [params] = useSearchParams()
  const query = useInfiniteQuery(debtorsQuery(filter))
  const config = useQuery(configQuery)
  const mayTake = useMay('desk')
  const { take, loading, dialog } = useTakeMoney()
  const cards = useMediaQuery(`(max-width: ${CARDS})`, false, { getInitialValueInEffect: false })
  const first = query.data?.pages[0]
  const debtors = query.data?.pages.flatMap((page) => page.debtors) ?? []
  const { batch = '', sort = '-owes' } = filter
  const batches = useBatches()
  const order = (by: DebtorOrder) => debtorOrderOf(params, by)
  return (
    <section aria-labelledby="debtors" className={classes.part}>
      <div className={classes.head}>
        <Title order={2} id="debtors">
          {t('money.debtors.title')}
        </Title>
        {debtors.length > 0 && <PrintDebtors filter={filter} today={config.data?.today} />}
      </div>
      <div className={`${classes.filters} ${classes.few}`}>
        <NativeSelect
          label={t('people.column.batch')}
          value={batch}
          data={[
            { value: '', label: t('money.debtors.everyBatch') },
            // An old link may name a batch that no longer exists.
            ...(batch === '' || batches.includes(batch) ? batches : [batch, ...batches]),
          ]}
          onChange={(event) => set({ batch: event.currentTarget.value })}
        />
        {cards && (
          <NativeSelect
            label={t('money.debtors.order')}
            value={sort.replace(/^-/, '')}
            data={DEBTOR_ORDERS.map((one) => ({ value: one, label: t(`people.column.${one}`) }))}
            onChange={({ currentTarget: { value } }) => set({ sort: value === 'owes' ? '' : value })}
          />
        )}
      </div>
      <ListState query={query} lines={4}>
        {() =>
          debtors.length === 0 ? (
            <EmptyState message={t(batch === '' ? 'money.debtors.none' : 'money.debtors.noneOfBatch', { batch })} />
          ) : (
            <div
              className={classes.list}
              data-stale={query.isPlaceholderData || undefined}
              aria-busy={query.isFetching}
            >
              <p className={classes.sum}>
                {first && t('money.debtors.sum', { total: first.total, owed: first.owed })}
                {first && first.credit > 0 && ` ${t('money.debtors.credit', { credit: first.credit })}`}
              </p>
              <ResponsiveTable
                label={t('money.debtors.title')}
                cardsUpTo={CARDS}
                dense
                rows={debtors}
                keyOf={(debtor) => debtor.uid}
                columns={[
                  { title: t('people.column.name'), order: order('name'), cell: (debtor) => <Named {...debtor} /> },
                  {
                    title: t('people.column.batch'),
                    order: order('batch'),
                    cell: ({ batch: of }) => of && <span dir="auto">{of}</span>,
                  },
                  {
                    title: t('money.debtors.ended'),
                    align: 'end',
                    cell: ({ balance }) => (balance === 0 ? null : <Money amount={balance} />),
                  },
                  {
                    title: t('money.debtors.running'),
                    align: 'end',
                    cell: ({ running }) => (running === 0 ? null : <Money amount={running} />),
                  },
                  {
                    title: t('people.column.owes'),
                    align: 'end',
                    order: order('owes'),
                    cell: (debtor) => <Owes debtor={debtor} />,
                  },
                  ...(mayTake
                    ? [
                        {
                          title: t('money.pay.column'),
                          bare: true,
                          cell: ({ uid, name, balance }: Debtor) =>
                            balance > 0 && (
                              <Button
                                variant="default"
                                size="compact-sm"
                                h={34}
                                aria-label={t('money.pay.named', { name })}
                                loading={loading === uid}
                                onClick={() => void take(uid, name)}
                              >
                                {t('money.pay.open')}
                              </Button>
                            ),
                        },
                      ]
                    : []),
                ]}
              />
              <ShowMore query={query} label={t('money.debtors.more')} />
            </div>
          )
        }
      </ListState>
      {dialog}
    </section>
  )
}

/** Debt of a person, with a collapsible explanation. */
function Owes({ debtor: { uid, name, owes } }: { debtor: Debtor }) {
  const [opened, setOpened] = useState(false)
  const account = useQuery({ ...accountQuery(uid), enabled: opened })
  return (
    <>
      <span className={owes > 0 ? classes.owes : undefined}>{owedText(owes)}</span>
      <Why of={`${moneyText(owes)}, ${name}`} onOpen={() => setOpened(true)}>
        {opened && (
          <ListState query={account} lines={1}>
            {(known) => <Owed account={known} />}
          </ListState>
        )}
      </Why>
    </>
  )
}

const owedText = (owes: number) => (owes >= 0 ? moneyText(owes) : t('money.credit', { amount: -owes }))

type PrintDebtorsProps = { filter: ReturnType<typeof debtorsIn>; today: string | undefined }

/** Button that prints the whole list, including the pages that are not loaded. */
function PrintDebtors({ filter, today }: PrintDebtorsProps) {
  const library = usePrintedName()
  // Keeps the batch with the list, because the filter may change while the list loads.
  const [list, setList] = useState<{ batch: string | undefined; debtors: readonly Debtor[] } | null>(null)
  const [reading, setReading] = useState(false)
  const [failure, setFailure] = useState<unknown>(null)

  async function run() {
    setReading(true)
    setFailure(null)
    try {
      setList({ batch: filter.batch, debtors: await everyDebtor(filter) })
    } catch (error) {
      setFailure(error)
    } finally {
      setReading(false)
    }
  }

  const dash = (amount: number) => (amount === 0 ? '–' : moneyText(amount))
  return (
    <>
      <Button
        variant="default"
        leftSection={<Printer data-size="18" aria-hidden />}
        loading={reading}
        onClick={() => void run()}
      >
        {t('money.debtors.print')}
      </Button>
      {failure !== null && (
        <Alert color="red" role="alert" w="100%">
          {messageOf(failure)}
        </Alert>
      )}
      {list !== null && (
        <PrintNow paper="page" className={classes.onPaper} onDone={() => setList(null)}>
          <h1>{t('money.debtors.title')}</h1>
          <p dir="auto">{[library, list.batch, today && dayText(today)].filter(Boolean).join(' · ')}</p>
          <table>
            <thead>
              <tr>
                <th scope="col">{t('people.column.name')}</th>
                <th scope="col">{t('people.column.rollNumber')}</th>
                <th scope="col">{t('people.column.batch')}</th>
                <th scope="col">{t('money.debtors.ended')}</th>
                <th scope="col">{t('money.debtors.running')}</th>
                <th scope="col">{t('people.column.owes')}</th>
              </tr>
            </thead>
            <tbody>
              {list.debtors.map(({ uid, name, rollNumber, batch, balance, running, owes }) => (
                <tr key={uid}>
                  <td dir="auto">{name}</td>
                  <td dir="auto">{rollNumber}</td>
                  <td dir="auto">{batch}</td>
                  <td>{dash(balance)}</td>
                  <td>{dash(running)}</td>
                  <td>{owedText(owes)}</td>
                </tr>
              ))}
            </tbody>
          </table>
          <p>
            {t('money.debtors.sum', {
              total: list.debtors.length,
              owed: list.debtors.reduce((sum, { owes }) => sum + Math.max(owes, 0) * 100, 0) / 100,
            })}
          </p>
        </PrintNow>
      )}
    </>
  )
}
