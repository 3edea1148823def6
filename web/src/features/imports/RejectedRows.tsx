import { Button, Group, Text, Title } from '@mantine/core'
import type { EntriesReport } from '../../api/types'
import { t } from '../../lib/messages'
import { fieldMessage } from '../../lib/problem'
import { ResponsiveTable } from '../../ui/ResponsiveTable'
import classes from './Import.module.css'
import { saveFile } from './saveFile'

type RejectedRowsProps = {
  report: Pick<EntriesReport, 'rejected' | 'rejectedRows' | 'rejectsFile'>
  /** Names of the fields. */
  names: Readonly<Record<string, () => string>>
  /** Name of the saved file. */
  saveAs: string
}

/** Rejected rows of a preview with their reasons, and a button that saves these rows as a file. */
export function RejectedRows({ report, names, saveAs }: RejectedRowsProps) {
  const { rejected, rejectedRows, rejectsFile } = report
  if (rejectedRows.length === 0) return null
  return (
    <div className={classes.part}>
      <Group justify="space-between" mb="xs">
        <Title order={3}>{t('books.import.report.rejected', { count: rejected })}</Title>
        <Button variant="default" size="sm" onClick={() => saveFile(saveAs, rejectsFile ?? '')}>
          {t('books.import.report.save')}
        </Button>
      </Group>
      <ResponsiveTable
        label={t('books.import.report.rejected', { count: rejected })}
        dense
        rows={rejectedRows}
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
                {errors
                  .map((error) => {
                    const name = names[error.field]
                    return name ? `${name()}: ${fieldMessage(error)}` : fieldMessage(error)
                  })
                  .join(' ')}
              </span>
            ),
          },
        ]}
      />
      {rejected > rejectedRows.length && (
        <Text c="dimmed">{t('books.import.report.first', { count: rejectedRows.length })}</Text>
      )}
    </div>
  )
}
