import { Anchor, Button, Switch, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { Link, useSearchParams } from 'react-router'
import { useAction } from '../../api/action'
import { checkBooks, importBooks, readBookColumns } from '../../api/bookImports'
import { MARC_PATH, uploadOf } from '../../api/imports'
import { keys } from '../../api/keys'
import type { BooksReport, FileColumns } from '../../api/types'
import { focusHere } from '../../lib/focus'
import { t } from '../../lib/messages'
import { paths } from '../../screens'
import { PageHeader } from '../../ui/PageHeader'
import { ChooseFile } from './ChooseFile'
import { ColumnChooser } from './ColumnChooser'
import { EarlierImports } from './EarlierImports'
import classes from './Import.module.css'
import { ImportState } from './ImportState'
import { NothingToImport } from './NothingToImport'
import { RejectedRows, RowReasons } from './RejectedRows'
import { Total } from './Total'
import type { ImportWords } from './words'

type Field = keyof typeof NAMES

/** Labels of a book's fields in the column chooser. */
const NAMES = {
  title: () => t('books.import.field.title'),
  subtitle: () => t('books.import.field.subtitle'),
  author: () => t('books.import.field.author'),
  genre: () => t('books.import.field.genre'),
  photoURL: () => t('books.import.field.photoURL'),
  description: () => t('books.import.field.description'),
  isbn: () => t('books.import.field.isbn'),
  publishedYear: () => t('books.import.field.publishedYear'),
  language: () => t('books.import.field.language'),
  averageRating: () => t('books.import.field.averageRating'),
  ratingsCount: () => t('books.import.field.ratingsCount'),
  location: () => t('books.import.field.location'),
  noOfBooks: () => t('books.import.field.noOfBooks'),
  rating: () => t('books.import.field.rating'),
  status: () => t('books.import.field.status'),
  barcode: () => t('books.import.field.barcode'),
  publisher: () => t('books.import.field.publisher'),
  edition: () => t('books.import.field.edition'),
  callNumber: () => t('books.import.field.callNumber'),
  price: () => t('books.import.field.price'),
}

const nameOf = (field: string) => NAMES[field as Field]()

const WORDS: ImportWords = {
  title: (state) => t(`books.import.title.${state}`),
  added: () => t('books.import.total.added'),
  known: () => t('books.import.total.known'),
  screen: () => paths.importBooks(),
  address: (id: number) => `${paths.importBooks()}?import=${String(id)}`,
  result: () => ({ to: paths.home(), text: t('books.import.state.books') }),
  undone: (count: number) => t('books.import.undo.what', { count }),
  inUse: (count: number) => t('books.import.undo.inUse', { count }),
  changes: [keys.books],
}

/** Import of books from a file: choice of columns, preview, progress, and undo. */
export default function ImportBooksScreen() {
  const [params, setParams] = useSearchParams()
  const id = Number(params.get('import')) || null
  return (
    <div className={classes.screen}>
      <PageHeader
        title={t('books.import.books.title')}
        actions={
          <Button component={Link} to={paths.home()} variant="default">
            {t('books.import.books.back')}
          </Button>
        }
      />
      {id === null ? (
        <NewImport onBegun={(begun) => setParams({ import: String(begun) })} />
      ) : (
        <ImportState key={id} kind="books" words={WORDS} id={id} />
      )}
    </div>
  )
}

function NewImport({ onBegun }: { onBegun: (id: number) => void }) {
  const [file, setFile] = useState<File | null>(null)
  const [columns, setColumns] = useState<FileColumns | null>(null)
  const [fields, setFields] = useState<string[] | null>(null)
  const [report, setReport] = useState<BooksReport | null>(null)
  const [choices, setChoices] = useState<Choices>({ withClashes: false, withoutFaulty: false })
  const look = useAction(readBookColumns)
  const check = useAction(checkBooks)
  const begin = useAction(importBooks)
  const error = look.error ?? check.error ?? begin.error

  const inputOf = (chosen: File, names: string[] | null, by: Choices) => ({
    ...uploadOf(chosen),
    columns: names?.join(','),
    ...by,
  })

  async function preview(chosen: File, names: string[] | null, by: Choices) {
    begin.reset()
    setFields(names)
    const outcome = await check.run(inputOf(chosen, names, by))
    setReport(outcome.ok ? outcome.output : null)
  }

  async function open(chosen: File) {
    setFile(chosen)
    setColumns(null)
    setReport(null)
    check.reset()
    begin.reset()
    const outcome = await look.run(uploadOf(chosen))
    if (!outcome.ok) return
    // MARC records name their fields, so there are no columns to choose.
    if (outcome.output.kind === 'marc') await preview(chosen, null, choices)
    else setColumns(outcome.output)
  }

  async function submit(chosen: File) {
    const outcome = await begin.run(inputOf(chosen, fields, choices))
    if (outcome.ok) onBegun(outcome.output.id)
  }

  return (
    <>
      <ChooseFile
        what={t('books.import.books.what')}
        rules={t('books.import.books.rules')}
        accept=".csv,.tsv,.txt,.gz,.xlsx,.ods,.mrc,.marc,.xml,text/csv"
        file={file}
        choose={t(file ? 'books.import.books.other' : 'books.import.books.choose')}
        isPrimary={!file || error !== null}
        pending={look.pending}
        onChoose={(chosen) => void open(chosen)}
        example={{
          text: t('books.import.books.example'),
          name: 'books-example.csv',
          rows: t('books.import.books.exampleRows'),
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
          onChosen={(chosen) => void preview(file, chosen, choices)}
          onChanged={() => setReport(null)}
        />
      )}
      {file && report && (
        <Preview
          report={report}
          choices={choices}
          pending={begin.pending || check.pending}
          onChoices={(chosen) => {
            setChoices(chosen)
            void preview(file, fields, chosen)
          }}
          onSubmit={() => void submit(file)}
        />
      )}
      {!file && (
        <>
          <EarlierImports kind="books" words={WORDS} />
          <Text className={classes.part} c="dimmed" size="sm">
            {t('books.import.marc.what')}{' '}
            <Anchor href={MARC_PATH} download fz="inherit">
              {t('books.import.marc.save')}
            </Anchor>
          </Text>
        </>
      )}
    </>
  )
}

/** What becomes of rows that are not added by default. */
type Choices = { withClashes: boolean; withoutFaulty: boolean }

type PreviewProps = {
  report: BooksReport
  choices: Choices
  pending: boolean
  onChoices: (choices: Choices) => void
  onSubmit: () => void
}

function Preview({ report, choices, pending, onChoices, onSubmit }: PreviewProps) {
  const { withClashes, withoutFaulty } = choices
  const count = report.added + report.more
  return (
    <section aria-labelledby="report" className={classes.part}>
      <Title order={2} id="report" ref={focusHere} tabIndex={-1}>
        {t('books.import.report.title')}
      </Title>
      <dl className={`${classes.totals} tabular`}>
        <Total name={t('books.import.total.added')} count={report.added} />
        <Total name={t('books.import.total.copies')} count={report.copies} />
        {report.more > 0 && <Total name={t('books.import.total.more')} count={report.more} />}
        <Total name={t('books.import.total.known')} count={report.known} />
        <Total name={t('books.import.total.rejected')} count={report.rejected} />
      </dl>
      {(report.clashes > 0 || withClashes) && (
        <Switch
          mb="md"
          checked={withClashes}
          disabled={pending}
          label={t('books.import.report.withClashes')}
          description={report.clashes > 0 ? t('books.import.report.clashes', { count: report.clashes }) : undefined}
          onChange={(event) => onChoices({ ...choices, withClashes: event.currentTarget.checked })}
        />
      )}
      {(report.faulty > 0 || withoutFaulty) && (
        <Switch
          mb="md"
          checked={withoutFaulty}
          disabled={pending}
          label={t('books.import.report.withoutFaulty')}
          description={report.faulty > 0 ? t('books.import.report.faulty', { count: report.faulty }) : undefined}
          onChange={(event) => onChoices({ ...choices, withoutFaulty: event.currentTarget.checked })}
        />
      )}
      {count > 0 ? (
        <Button loading={pending} onClick={onSubmit}>
          {t('books.import.report.submit', { count })}
        </Button>
      ) : (
        <NothingToImport report={report} words={t('books.import.report.nothing')} />
      )}
      <RejectedRows report={report} names={NAMES} saveAs="books.rejected.csv" />
      {report.leftOut.length > 0 && (
        <div className={classes.part}>
          <Title order={3}>{t('books.import.report.leftOut', { count: report.faulty })}</Title>
          <RowReasons
            label={t('books.import.report.leftOut', { count: report.faulty })}
            rows={report.leftOut}
            names={NAMES}
            count={report.faulty}
          />
        </div>
      )}
    </section>
  )
}
