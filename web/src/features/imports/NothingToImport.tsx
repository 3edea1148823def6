import { Alert } from '@mantine/core'
import { t } from '../../lib/messages'

/** Says why a checked file adds nothing: it has no rows, or all its valid rows are there already (`words`). */
export function NothingToImport({ report: { rows }, words }: { report: { rows: number }; words: string }) {
  if (rows === 0) return <Alert color="yellow">{t('books.import.report.empty')}</Alert>
  return <Alert color="teal">{words}</Alert>
}
