import { Button, Group, Text, Title } from '@mantine/core'
import type { EntriesReport } from '../../api/types'
import { t } from '../../lib/messages'
import { fieldMessage } from '../../lib/problem'
import { ResponsiveTable } from '../../ui/ResponsiveTable'
import classes from './Import.module.css'
import { saveFile } from './saveFile'

/** Names of the fields. */
type Names = Readonly<Record<string, () => string>>

type RejectedRowsProps = {
  report: Pick<EntriesReport, 'rejected' | 'rejectedRows' | 'rejectsFile'>
  names: Names
  /** Name of the saved file. */
  saveAs: string
}

/** Rejected rows of a preview with their reasons, and a button that saves these rows as a file. */
export function RejectedRows({ report, names, saveAs }: RejectedRowsProps) {
  const { rejected, rejectedRows, rejectsFile } = report
  if (rejectedRows.length === 0) return null
  const label = t('books.import.report.rejected', { count: rejected })
  return (
    <div className={classes.part}>
      <Group justify="space-between" mb="xs">
        <Title order={3}>{label}</Title>
        <Button variant="default" size="sm" onClick={() => saveFile(saveAs, rejectsFile ?? '')}>
          {t('books.import.report.save')}
        </Button>
      </Group>
      <RowReasons label={label} rows={rejectedRows} names={names} count={rejected} />
    </div>
  )
}

type RowReasonsProps = {
  label: string
  rows: EntriesReport['rejectedRows']
  names: Names
  /** Number of all such rows; only the first are listed. */
  count: number
}

/** Rows of a file with what is wrong in each. */
export function RowReasons({ label, rows, names, count }: RowReasonsProps) {
  return (
    <>
      <ResponsiveTable
        label={label}
        dense
        rows={rows}
        keyOf={(row) => row.line}
        columns={[
          {
            title: t('books.import.report.place'),
            cell: ({ line }) => <span className="tabular">{t('books.import.report.line', { line })}</span>,
          },
          {
            title: t('books.import.report.reason'),
            cell: ({ errors }) => (
              <span dir="auto">
                {errors.map((error) => namedReason(names[error.field]?.() ?? '', fieldMessage(error))).join(' ')}
              </span>
            ),
          },
        ]}
      />
      {count > rows.length && <Text c="dimmed">{t('books.import.report.first', { count: rows.length })}</Text>}
    </>
  )
}

/** Returns a reason after the name of its field, unless it names the field itself. */
const namedReason = (name: string, reason: string): string =>
  name === '' || reason.toLowerCase().includes(name.toLowerCase()) ? reason : `${name}: ${reason}`
