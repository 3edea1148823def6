import { Button, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { useSearchParams } from 'react-router'
import { useAction } from '../../api/action'
import { checkEntries, importEntries, readEntryColumns, uploadOf, type EntryKind } from '../../api/imports'
import type { EntriesReport, FileColumns } from '../../api/types'
import { focusHere } from '../../lib/focus'
import { moneyText } from '../../lib/format'
import { t } from '../../lib/messages'
import { ChooseFile } from './ChooseFile'
import { ColumnChooser } from './ColumnChooser'
import { EarlierImports } from './EarlierImports'
import { ENTRY_WORDS } from './entryWords'
import classes from './Import.module.css'
import { ImportState } from './ImportState'
import { NothingToImport } from './NothingToImport'
import { RejectedRows } from './RejectedRows'
import { Total } from './Total'

/** Fields of the lists, as the chooser of columns names them. */
const NAMES: Readonly<Record<string, () => string>> = {
  barcode: () => t('books.import.field.barcode'),
  rollNumber: () => t('people.column.rollNumber'),
  lent: () => t('people.entries.field.lent'),
  due: () => t('people.entries.field.due'),
  renewals: () => t('people.entries.field.renewals'),
  amount: () => t('people.entries.field.amount'),
  kind: () => t('people.entries.field.kind'),
  description: () => t('people.entries.field.reason'),
  date: () => t('people.entries.field.date'),
}

const nameOf = (field: string) => NAMES[field]?.() ?? field

/** Import of open loans or open charges of another system; shows the state of the import in the address, if any. */
export function EntriesImport({ kind }: { kind: EntryKind }) {
  const [params, setParams] = useSearchParams()
  const id = Number(params.get('import')) || null
  return id === null ? (
    <NewImport kind={kind} onBegun={(begun) => setParams({ tab: kind, import: String(begun) })} />
  ) : (
    <ImportState key={id} kind={kind} words={ENTRY_WORDS[kind]} id={id} />
  )
}

function NewImport({ kind, onBegun }: { kind: EntryKind; onBegun: (id: number) => void }) {
  const [file, setFile] = useState<File | null>(null)
  const [columns, setColumns] = useState<FileColumns | null>(null)
  const [fields, setFields] = useState<string[]>([])
  const [report, setReport] = useState<EntriesReport | null>(null)
  const look = useAction(readEntryColumns)
  const check = useAction(checkEntries)
  const begin = useAction(importEntries)
  const error = look.error ?? check.error ?? begin.error

  async function open(chosen: File) {
    setFile(chosen)
    setColumns(null)
    setReport(null)
    check.reset()
    begin.reset()
    const outcome = await look.run({ kind, ...uploadOf(chosen) })
    if (outcome.ok) setColumns(outcome.output)
  }

  async function preview(chosen: File, names: string[]) {
    begin.reset()
    setFields(names)
    const outcome = await check.run({ kind, ...uploadOf(chosen), columns: names.join(',') })
    setReport(outcome.ok ? outcome.output : null)
  }

  async function submit(chosen: File) {
    const outcome = await begin.run({ kind, ...uploadOf(chosen), columns: fields.join(',') })
    if (outcome.ok) onBegun(outcome.output.id)
  }

  return (
    <>
      <ChooseFile
        what={t(`people.entries.${kind}.what`)}
        rules={t(`people.entries.${kind}.rules`)}
        accept=".csv,.tsv,.txt,.gz,.xlsx,.ods,text/csv"
        file={file}
        choose={t(file ? 'people.import.other' : 'people.import.choose')}
        isPrimary={!file || error !== null}
        pending={look.pending}
        onChoose={(chosen) => void open(chosen)}
        example={{
          text: t('people.import.example'),
          name: `${kind}-example.csv`,
          rows: t(`people.entries.${kind}.exampleRows`),
        }}
        error={error}
      />
      {file && columns && (
        <ColumnChooser
          file={file}
          columns={columns}
          nameOf={nameOf}
          pending={check.pending}
          isChecked={report !== null}
          onChosen={(chosen) => void preview(file, chosen)}
          onChanged={() => setReport(null)}
        />
      )}
      {file && report && (
        <Preview kind={kind} report={report} pending={begin.pending} onSubmit={() => void submit(file)} />
      )}
      {!file && <EarlierImports kind={kind} words={ENTRY_WORDS[kind]} />}
    </>
  )
}

type PreviewProps = { kind: EntryKind; report: EntriesReport; pending: boolean; onSubmit: () => void }

function Preview({ kind, report, pending, onSubmit }: PreviewProps) {
  return (
    <section aria-labelledby="report" className={classes.part}>
      <Title order={2} id="report" ref={focusHere} tabIndex={-1}>
        {t('books.import.report.title')}
      </Title>
      <dl className={`${classes.totals} tabular`}>
        <Total name={ENTRY_WORDS[kind].added()} count={report.added} />
        <Total name={ENTRY_WORDS[kind].known()} count={report.known} />
        <Total name={t('books.import.total.rejected')} count={report.rejected} />
      </dl>
      {report.amount > 0 && <p>{t('people.entries.amount', { amount: moneyText(report.amount) })}</p>}
      {report.dayOrder !== null && (
        <Text c="dimmed" mb="md">
          {t(`people.entries.days.${report.dayOrder as 'day-first' | 'month-first' | 'mixed'}`)}
        </Text>
      )}
      {report.added > 0 ? (
        <Button loading={pending} onClick={onSubmit}>
          {t(`people.entries.${kind}.submit`, { count: report.added })}
        </Button>
      ) : (
        <NothingToImport report={report} words={t('people.entries.nothing')} />
      )}
      <RejectedRows report={report} names={NAMES} saveAs={`${kind}.rejected.csv`} />
    </section>
  )
}
