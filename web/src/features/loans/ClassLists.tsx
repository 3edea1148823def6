import { Alert, Button, Group, NativeSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { usePrintedName, configQuery } from '../../api/config'
import { useAction } from '../../api/action'
import { loansByClassQuery, recordSlips, SLIPS_AT_ONCE, type LoanList } from '../../api/loans'
import type { AdminLoan } from '../../api/types'
import { t } from '../../lib/messages'
import { messageOf } from '../../lib/problem'
import { Sheet } from '../../print/Sheet'
import { Dialog } from '../../ui/Dialog'
import { DateText, Money } from '../../ui/Facts'
import { ListState } from '../../ui/ListState'
import classes from './ClassLists.module.css'

/** Groups loans that are sorted by batch. */
function byBatch(loans: readonly AdminLoan[]): [string, AdminLoan[]][] {
  const batches = new Map<string, AdminLoan[]>()
  for (const loan of loans) batches.set(loan.batch, [...(batches.get(loan.batch) ?? []), loan])
  return [...batches]
}

/** Open loans on paper: a list for each class teacher, or a slip for each reader. */
export function ClassLists({ list, onClose }: { list: LoanList; onClose: () => void }) {
  const query = useQuery(loansByClassQuery(list))
  const library = usePrintedName()
  const today = useQuery(configQuery).data?.today
  const [as, setAs] = useState<'lists' | 'slips'>('lists')
  const record = useAction(recordSlips)

  /** Prints; slips are recorded first, so that each loan says when its reader was reminded (L10). */
  async function print(loans: readonly AdminLoan[]) {
    if (as === 'slips') {
      const ids = loans.map(({ id }) => id)
      for (let at = 0; at < ids.length; at += SLIPS_AT_ONCE) {
        // oxlint-disable-next-line no-await-in-loop -- one call at a time; more than one is rare
        const { ok } = await record.run(ids.slice(at, at + SLIPS_AT_ONCE))
        if (!ok) return
      }
    }
    window.print()
  }

  return (
    <Dialog title={t('loans.print.title')} onClose={onClose} size="xl">
      <ListState query={query} lines={8}>
        {(loans) => (
          <>
            <Group justify="space-between" align="end" mb="md">
              <NativeSelect
                label={t('loans.print.as')}
                value={as}
                data={[
                  { value: 'lists', label: t('loans.print.lists') },
                  { value: 'slips', label: t('loans.print.slips') },
                ]}
                onChange={({ currentTarget: { value } }) => setAs(value === 'slips' ? 'slips' : 'lists')}
              />
              <Button loading={record.pending} disabled={loans.length === 0} onClick={() => void print(loans)}>
                {t('loans.print.now')}
              </Button>
            </Group>
            {as === 'slips' && <p className={classes.hint}>{t('loans.print.slipsHint')}</p>}
            {record.error !== null && (
              <Alert color="red" role="alert" mb="md">
                {messageOf(record.error)}
              </Alert>
            )}
            {as === 'slips' ? (
              <Slips loans={loans} library={library} today={today} />
            ) : (
              <Sheet paper="page">
                {byBatch(loans).map(([batch, ofClass]) => (
                  <section key={batch} className={classes.class}>
                    <h2 dir="auto">{batch === '' ? t('loans.print.noBatch') : t('loans.print.batch', { batch })}</h2>
                    <p>
                      <span dir="auto">{library}</span> {today !== undefined && <DateText day={today} />}
                    </p>
                    <table>
                      <thead>
                        <tr>
                          <th scope="col">{t('loans.column.name')}</th>
                          <th scope="col">{t('loans.column.rollNumber')}</th>
                          <th scope="col">{t('loans.column.book')}</th>
                          <th scope="col">{t('loans.column.return')}</th>
                          <th scope="col">{t('loans.column.fine')}</th>
                          <th scope="col">{t('loans.print.back')}</th>
                        </tr>
                      </thead>
                      <tbody>
                        {ofClass.map((loan) => (
                          <tr key={loan.id}>
                            <td dir="auto">{loan.userName}</td>
                            <td dir="auto">{loan.rollNumber}</td>
                            <td dir="auto">
                              {loan.title} <small>{loan.barcode}</small>
                            </td>
                            <td>
                              <DateText day={loan.returnDate} />
                            </td>
                            <td>{loan.fine > 0 && <Money amount={loan.fine} />}</td>
                            <td>☐</td>
                          </tr>
                        ))}
                      </tbody>
                    </table>
                  </section>
                ))}
              </Sheet>
            )}
          </>
        )}
      </ListState>
    </Dialog>
  )
}

/** Groups loans by reader, in the order of the loans. */
function byReader(loans: readonly AdminLoan[]): AdminLoan[][] {
  const readers = new Map<number, AdminLoan[]>()
  for (const loan of loans) readers.set(loan.userId, [...(readers.get(loan.userId) ?? []), loan])
  return [...readers.values()]
}

type SlipsProps = { loans: readonly AdminLoan[]; library: string; today: string | undefined }

/** Reminders to cut out, one for each reader, four on a page. */
function Slips({ loans, library, today }: SlipsProps) {
  return (
    <Sheet paper="page" className={classes.slips}>
      {byReader(loans).map((own) => {
        const [{ userId, userName, rollNumber, batch }] = own as [AdminLoan]
        const due = own.filter(({ returnDate }) => today === undefined || returnDate <= today)
        const later = own.filter((loan) => !due.includes(loan))
        const fines = own.reduce((sum, { fine }) => sum + fine, 0)
        return (
          <section key={userId} className={classes.slip}>
            <p>
              <b dir="auto">{library}</b>{' '}
              {today !== undefined && (
                <>
                  {' '}
                  · <DateText day={today} />
                </>
              )}
            </p>
            <h2 dir="auto">{userName}</h2>
            <p dir="auto">{[rollNumber, batch].filter(Boolean).join(' · ')}</p>
            {due.length > 0 && (
              <>
                <p>{t('loans.print.please', { count: due.length })}</p>
                <Books loans={due} />
              </>
            )}
            {later.length > 0 && (
              <>
                <p>{t('loans.print.later')}</p>
                <Books loans={later} />
              </>
            )}
            {fines > 0 && (
              <p>
                {t('loans.print.fine')} <Money amount={fines} />
              </p>
            )}
          </section>
        )
      })}
    </Sheet>
  )
}

function Books({ loans }: { loans: readonly AdminLoan[] }) {
  return (
    <ul>
      {loans.map((loan) => (
        <li key={loan.id}>
          <span dir="auto">{loan.title}</span> <small>{loan.barcode}</small>
          <br />
          {t('loans.print.due')} <DateText day={loan.returnDate} />
        </li>
      ))}
    </ul>
  )
}
