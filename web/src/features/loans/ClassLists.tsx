import { Button, Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useLibraryName, configQuery } from '../../api/config'
import { loansByClassQuery, type LoanList } from '../../api/loans'
import type { AdminLoan } from '../../api/types'
import { t } from '../../lib/messages'
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

/** A list of the open loans for each class teacher: one page a class, with a box to tick. */
export function ClassLists({ list, onClose }: { list: LoanList; onClose: () => void }) {
  const query = useQuery(loansByClassQuery(list))
  const library = useLibraryName()
  const today = useQuery(configQuery).data?.today
  return (
    <Dialog title={t('loans.print.title')} onClose={onClose} size="xl">
      <ListState query={query} lines={8}>
        {(loans) => (
          <>
            <Group justify="flex-end" mb="md">
              <Button onClick={() => window.print()}>{t('loans.print.now')}</Button>
            </Group>
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
          </>
        )}
      </ListState>
    </Dialog>
  )
}
